"""What the peers' workers in Python share: lines in, one line of JSON out for each, as worker.cpp has it.

    serve({"mlp": mlp_step}, epoch)

Each work is a function that makes ready and returns `run(repetitions)`, which waits for the last result. Where one repetition is several of
the work, `run.each` says how many.
"""

import gzip
import json
import os
import sys
import time

import numpy as np


def serve(works, epoch=None):
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    run = None
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        start = time.perf_counter()
        reply = {}
        try:
            if command == "prepare":
                if rest not in works:
                    raise LookupError("not written for this peer")
                run = works[rest]()
                run(1)
            elif command == "run":
                repetitions, warming = map(int, rest.split())
                if warming:
                    run(warming)
                start = time.perf_counter()
                run(repetitions)
                reply["seconds"] = (time.perf_counter() - start) / getattr(run, "each", 1)
            elif command == "epoch":
                if epoch is None:
                    raise LookupError("not written for this peer")
                reply["accuracy"] = epoch()
            reply.setdefault("seconds", time.perf_counter() - start)
        except Exception as error:  # whatever a peer throws is its result
            reply = {"failed": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(reply) + "\n")


def labels(count):
    return np.arange(count) % 10


def fashion(part):
    """Pictures as u8 [n, 1, 28, 28] and labels, of Debian's package or of the folder that TIDEPOOL_DATA names."""
    folder = os.environ.get("TIDEPOOL_DATA", "/usr/share/datasets/fashion-mnist")

    def read(kind, header):
        with gzip.open(f"{folder}/{part}-{kind}-ubyte.gz") as file:
            return np.frombuffer(file.read(), np.uint8, offset=header)

    return read("images-idx3", 16).reshape(-1, 1, 28, 28), read("labels-idx1", 8)
