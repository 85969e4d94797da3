"""A participant's process: told over a pipe what to do, and asleep otherwise.

    worker = WorkerProcess(command, variables, cores={0, 1}, log=open("log", "w"))
    worker.ask("prepare mlp", limit=120)["seconds"]
"""

import json
import os
import select
import signal
import subprocess
import time


class WorkerFailed(Exception):
    """The message is what the table will say."""


class WorkerProcess:
    def __init__(self, command, variables, cores, log):
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=variables,
            start_new_session=True,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        self.received = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def line(self, limit: float) -> str:
        """The next line of its output."""
        end = time.perf_counter() + limit
        while b"\n" not in self.received:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, end - time.perf_counter()))
            if not ready:
                self.kill()
                raise WorkerFailed(f"no answer in {limit:.0f} s")
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                raise WorkerFailed(how_it_ended(self.process.wait()))
            self.received += piece
        line, _, self.received = self.received.partition(b"\n")
        return line.decode()

    def ask(self, request: str, limit: float) -> dict:
        try:
            self.process.stdin.write(request.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise WorkerFailed(how_it_ended(self.process.wait())) from None
        reply = json.loads(self.line(limit))
        if "failed" in reply:
            raise WorkerFailed(reply["failed"])
        return reply

    def cpu_seconds(self) -> float:
        """Of all its threads."""
        total = 0
        tasks = f"/proc/{self.process.pid}/task"
        try:
            for task in os.listdir(tasks):
                with open(f"{tasks}/{task}/schedstat") as file:
                    total += int(file.read().split()[0])
        except (FileNotFoundError, ProcessLookupError):  # a thread, or all of it, ended meanwhile
            pass
        return total / 1e9

    def awake(self) -> bool:
        """Whether a thread of it runs or would, even if others keep it from that."""
        tasks = f"/proc/{self.process.pid}/task"
        try:
            for task in os.listdir(tasks):
                with open(f"{tasks}/{task}/stat") as file:
                    if file.read().rpartition(")")[2].split()[0] == "R":
                        return True
        except (FileNotFoundError, ProcessLookupError):
            pass
        return False

    def wait_until_asleep(self, limit: float = 2.0, glance: float = 0.001) -> None:
        """Threads that have just worked may wait actively for a while; the next one's turn begins after that."""
        end, asleep = time.perf_counter() + limit, 0
        while asleep < 3 and time.perf_counter() < end:
            time.sleep(glance)
            asleep = 0 if self.awake() else asleep + 1

    def peak_bytes(self) -> int:
        """The most that it held in memory. Its own count: what a parent is told of its children includes the parent's at their birth."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def end(self) -> None:
        """By the end of its input; by force if that does not help."""
        try:
            self.process.stdin.close()
            self.process.wait(10)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self.kill()
        self.process.stdout.close()


def how_it_ended(status: int) -> str:
    return f"crashed ({signal.Signals(-status).name})" if status < 0 else f"ended with status {status}"
