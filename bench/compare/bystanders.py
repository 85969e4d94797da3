"""How much of the machine others took meanwhile: programs that are not ours, and on a virtual machine its neighbours.

    bystanders = Bystanders(workers)
    ...
    bystanders.share()     # since it was made or last asked: 0 to 1 of all cores
"""

import os
import resource
import time


class Bystanders:
    def __init__(self, workers=()):
        self.workers = list(workers)
        self.hertz = os.sysconf("SC_CLK_TCK")
        self.before = self.now()

    def now(self) -> tuple[float, float, float]:
        return time.perf_counter(), self.busy_seconds(), self.own_seconds()

    def busy_seconds(self) -> float:
        """Of all cores since the start, what was stolen included."""
        with open("/proc/stat") as file:
            user, nice, system, _idle, _wait, interrupts, soft, stolen = map(int, file.readline().split()[1:9])
        return (user + nice + system + interrupts + soft + stolen) / self.hertz

    def own_seconds(self) -> float:
        """Of the driver, of processes that have ended, and of workers that live."""
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages) + sum(worker.cpu_seconds() for worker in self.workers)

    def share(self) -> float:
        before, self.before = self.before, self.now()
        passed, busy, own = (new - old for new, old in zip(self.before, before))
        return max(0.0, busy - own) / (passed * (os.cpu_count() or 1))
