"""One timing at a time on a machine: a file is locked while something is timed, and shared by those who build.

    with TimingLock("/tmp/tidepool-timing.lock", alone=True) as lock:
        measure()
        lock.let_others()   # now and then
"""

import fcntl
import time


class TimingLock:
    longest = 150.0  # seconds, after which others get their turn
    waited = 0.0  # seconds, in all, until it could be had

    def __init__(self, path: str, alone: bool):
        self.path, self.alone = path, alone

    def __enter__(self):
        self.file = open(self.path, "a")
        self.take()
        return self

    def __exit__(self, *_):
        self.file.close()

    def take(self) -> None:
        asked = time.monotonic()
        fcntl.flock(self.file, fcntl.LOCK_EX if self.alone else fcntl.LOCK_SH)
        self.since = time.monotonic()
        TimingLock.waited += self.since - asked

    def let_others(self, soon: float = 0.0) -> None:
        """Releases the lock for a moment if it has been held for long, or would be by the end of what takes `soon` seconds."""
        if time.monotonic() - self.since + soon > self.longest:
            fcntl.flock(self.file, fcntl.LOCK_UN)
            time.sleep(1)
            self.take()
