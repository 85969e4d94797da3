"""How fast the same flights are in NumPy and in PyTorch (eager, CPU), in turns with `tidepool trajectories`.

    python3 bench/trajectories_peers.py build/release/tidepool      # with NumPy, and PyTorch if it is to be compared

All have two threads and do RK4 with the same fixed step over the same launches, in f32. The peers get arrays of the length that suits
them, NumPy, which has no threads of its own, two at a time in two threads of Python, and drop flights that have landed every 25 steps.
Where they land is compared with Tidepool's. Times are without start, imports and files.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

STEP = 0.01
MASS, RADIUS, DRAG, START, SLOPE = 0.145, 0.0366, 0.35, 0.4, 2.32  # the baseball of src/cli/trajectories/balls.cpp
PRESSURE = 1.225 * math.pi * RADIUS**2 / (2 * MASS)
DECAY, GRAVITY, HEIGHT = 20.0, 9.80665, 1.0
CHUNKS = {"numpy": (4096, 16384), "torch eager": (16384, 65536)}  # of which the faster is taken


def rates(xp, axis, s):
    """Of the velocity and the surface's speed; the place's rate is the velocity."""
    vx, vy, vz, surface = s
    ax, ay, az = axis
    speed = xp.sqrt(vx * vx + vy * vy + vz * vz)
    drag = (PRESSURE * DRAG) * speed
    lift = PRESSURE * surface * speed / (START * speed + SLOPE * xp.abs(surface))
    return (
        lift * (ay * vz - az * vy) - drag * vx,
        lift * (az * vx - ax * vz) - drag * vy,
        lift * (ax * vy - ay * vx) - drag * vz - GRAVITY,
        surface * (-1 / DECAY),
    )


def step(xp, axis, place, s):
    h = STEP
    a = rates(xp, axis, s)
    s2 = [v + (h / 2) * k for v, k in zip(s, a)]
    b = rates(xp, axis, s2)
    s3 = [v + (h / 2) * k for v, k in zip(s, b)]
    c = rates(xp, axis, s3)
    s4 = [v + h * k for v, k in zip(s, c)]
    d = rates(xp, axis, s4)
    place = [p + (h / 6) * (v + w + 2 * (v2 + v3)) for p, v, v2, v3, w in zip(place, s, s2, s3, s4)]
    return place, [v + (h / 6) * (k1 + k4 + 2 * (k2 + k3)) for v, k1, k2, k3, k4 in zip(s, a, b, c, d)]


def fly(xp, launches):
    """x, y and time of the landings; launches are the first five columns of the command's file."""
    radian = math.pi / 180
    speed, elevation, azimuth, spin, tilt = (launches[:, i] + 0 for i in range(5))
    level = speed * xp.cos(elevation * radian)
    s = [level * xp.cos(azimuth * radian), level * xp.sin(azimuth * radian), speed * xp.sin(elevation * radian)]
    s.append(spin * (RADIUS * 2 * math.pi / 60))
    flat = xp.cos(tilt * radian)
    axis = [flat * xp.sin(azimuth * radian), -flat * xp.cos(azimuth * radian), xp.sin(tilt * radian)]
    place = [xp.zeros_like(speed), xp.zeros_like(speed), xp.zeros_like(speed) + HEIGHT]
    number = xp.arange(len(speed))
    result = xp.zeros((3, len(speed)), dtype=speed.dtype)
    flies = speed > 0
    for i in range(10000):
        after, s = step(xp, axis, place, s)
        lands = (after[2] <= 0) & flies
        if lands.any():
            z0, z1 = place[2][lands], after[2][lands]
            part = z0 / (z0 - z1)
            for r in range(2):
                result[r][number[lands]] = place[r][lands] + part * (after[r][lands] - place[r][lands])
            result[2][number[lands]] = (i + part) * STEP
            flies = flies & ~lands
        place = after
        if i % 25 == 24:
            if not flies.any():
                return result
            place, s, axis = ([v[flies] for v in values] for values in (place, s, axis))
            number, flies = number[flies], flies[flies]
    raise RuntimeError("some did not land")


def with_numpy(launches, chunk):
    pieces = [launches[i : i + chunk] for i in range(0, len(launches), chunk)]
    with ThreadPoolExecutor(2) as pool:
        return np.concatenate(list(pool.map(lambda piece: fly(np, piece), pieces)), axis=1)


def with_torch(launches, chunk):
    import torch

    torch.set_num_threads(2)
    with torch.inference_mode():
        pieces = torch.from_numpy(launches).split(chunk)
        return torch.cat([fly(torch, piece) for piece in pieces], dim=1).numpy()


def tidepool(tool, *arguments):
    command = [tool, "trajectories", "--json", "--device", "cpu", *arguments]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ | {"TIDEPOOL_THREADS": "2"}).stdout)


def rate_of(run, launches, chunk):
    start = time.perf_counter()
    run(launches, chunk)
    return len(launches) / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", help="the tidepool command")
    parser.add_argument("--count", type=int, default=65536, help="flights of a peer's turn; Tidepool flies sixteen times as many")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flights.npy"
        tidepool(arguments.tool, "--count", str(arguments.count), "--out", str(path))
        flights = np.load(path)
    launches, ours = np.ascontiguousarray(flights[:, :5]), flights[:, 5:8].T
    peers = {"numpy": with_numpy}
    try:
        import torch

        peers["torch eager"] = with_torch
        print("NumPy", np.__version__, "and PyTorch", torch.__version__)
    except ImportError:
        print("NumPy", np.__version__, "without PyTorch", file=sys.stderr)

    best = {}
    for name, run in peers.items():
        few = launches[:1024]
        off = np.abs(run(few, len(few)) - ours[:, : len(few)]).max()
        assert off < 0.02, f"{name} lands {off} away from Tidepool"
        rates_by_chunk = {chunk: rate_of(run, launches, chunk) for chunk in CHUNKS[name]}
        best[name] = max(rates_by_chunk, key=rates_by_chunk.get)
        print(f"{name}: lands within {off:.4f} m of Tidepool; fastest with arrays of {best[name]}", flush=True)

    figures = {name: [] for name in ("tidepool", *peers)}
    for _ in range(arguments.rounds):
        figures["tidepool"].append(tidepool(arguments.tool, "--count", str(16 * arguments.count))["flights_per_second"])
        for name, run in peers.items():
            figures[name].append(rate_of(run, launches, best[name]))
    for name, values in figures.items():
        ratio = statistics.median(a / b for a, b in zip(figures["tidepool"], values))
        print(f"{name:12} {statistics.median(values):12,.0f} flights/s   Tidepool is {ratio:.1f} times as fast")


if __name__ == "__main__":
    main()
