"""Runs the participants of a work in turn, many times over, each in a process of its own while the others sleep.

    outcome = measure_steps(crew, "mlp", Effort())
    outcome.pairs["jax"]      # ([JAX's seconds for a step], [Tidepool's next to them])
    outcome.failed["tfjs"]    # why there are none
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from figures import significant
from timing_lock import TimingLock
from worker_process import WorkerFailed, WorkerProcess

OWN = "tidepool"


@dataclass(frozen=True)
class Effort:
    pairs: int = 30
    turn: float = 0.1  # seconds that a turn should take; a long step is a turn by itself
    patience: float = 60.0  # seconds for all turns of one participant, after which it has at least `least`
    least: int = 3
    prepare_limit: float = 300.0  # seconds for compiling and the first step
    lock: str = "/tmp/tidepool-timing.lock"


@dataclass
class Outcome:
    seconds: dict[str, list[float]] = field(default_factory=dict)  # by participant, in the order of rounds
    failed: dict[str, str] = field(default_factory=dict)
    more: dict[str, dict[str, list[float]]] = field(default_factory=dict)  # "peak_bytes", "accuracy": by participant
    prepare_seconds: dict[str, float] = field(default_factory=dict)
    repetitions: dict[str, int] = field(default_factory=dict)
    disturbance: float = 0.0  # the largest share of a core that those asleep took in somebody's turn

    @property
    def pairs(self) -> dict[str, tuple[list[float], list[float]]]:
        own = self.seconds.get(OWN, [])
        return {name: (values, own[: len(values)]) for name, values in self.seconds.items() if name != OWN and own}

    def note(self, what: str, name: str, value: float) -> None:
        self.more.setdefault(what, {}).setdefault(name, []).append(value)


Start = Callable[[str], WorkerProcess]  # by the participant's name


def in_turn(names: list[str], round_: int) -> list[str]:
    """Another one begins each time, so that nobody always follows the same one."""
    shift = round_ % len(names) if names else 0
    return names[shift:] + names[:shift]


def rounds_for(seconds: float, effort: Effort) -> int:
    """A slow one takes part in fewer rounds; Tidepool is there in all of them."""
    if seconds <= 0:
        return effort.pairs
    return min(effort.pairs, max(effort.least, int(effort.patience / seconds)))


def measure_steps(names: list[str], start: Start, work: str, effort: Effort) -> Outcome:
    outcome = Outcome()
    workers: dict[str, WorkerProcess] = {}
    try:
        with TimingLock(effort.lock, alone=False):
            for name in names:
                prepare(name, start, work, effort, workers, outcome)
        with TimingLock(effort.lock, alone=True) as lock:
            rounds = {name: calibrate(name, worker, effort, outcome) for name, worker in list(workers.items())}
            take_turns(workers, rounds, effort, outcome, lock)
    finally:
        for worker in workers.values():
            worker.end()
    return outcome


def prepare(name: str, start: Start, work: str, effort: Effort, workers: dict, outcome: Outcome) -> None:
    worker = start(name)
    try:
        outcome.prepare_seconds[name] = significant(worker.ask(f"prepare {work}", effort.prepare_limit)["seconds"])
        workers[name] = worker
    except WorkerFailed as failure:
        outcome.failed[name] = str(failure)
        worker.end()


def calibrate(name: str, worker: WorkerProcess, effort: Effort, outcome: Outcome) -> int:
    """How many repetitions make a turn, and how many turns it gets."""
    count, seconds = 1, 0.0
    try:
        for _ in range(3):
            worker.wait_until_asleep()
            seconds = worker.ask(f"run {count} 1", effort.prepare_limit)["seconds"]
            each = max(seconds / count, 1e-9)
            count = max(1, min(10_000_000, round(effort.turn / each)))
    except WorkerFailed as failure:
        outcome.failed[name] = str(failure)
        return 0
    outcome.repetitions[name] = count
    return rounds_for(each * (count + warming(count)), effort)


def warming(repetitions: int) -> int:
    return max(1, repetitions // 10)


def take_turns(workers: dict, rounds: dict[str, int], effort: Effort, outcome: Outcome, lock: TimingLock) -> None:
    names = [name for name in workers if rounds[name]]
    for round_ in range(max((rounds[name] for name in names if name != OWN), default=effort.pairs)):
        for name in in_turn([name for name in names if round_ < rounds[name] or name == OWN], round_):
            lock.let_others()
            others = [worker for other, worker in workers.items() if other != name]
            before = sum(worker.cpu_seconds() for worker in others)
            count = outcome.repetitions[name]
            since = time.perf_counter()
            try:
                seconds = workers[name].ask(f"run {count} {warming(count)}", effort.prepare_limit)["seconds"]
            except WorkerFailed as failure:
                outcome.failed[name] = str(failure)
                outcome.seconds.pop(name, None)
                rounds[name] = 0
                continue
            taken = sum(worker.cpu_seconds() for worker in others) - before
            outcome.disturbance = max(outcome.disturbance, significant(taken / (time.perf_counter() - since), 3))
            outcome.seconds.setdefault(name, []).append(significant(seconds / count))
            workers[name].wait_until_asleep()


def measure_processes(names: list[str], once: Callable[[str, Outcome], float], effort: Effort, warm: bool) -> Outcome:
    """A new process each time; `once` starts it and says how long it took. Nobody else is there."""
    outcome = Outcome()
    rounds: dict[str, int] = {}
    with TimingLock(effort.lock, alone=True) as lock:
        for name in names if warm else []:
            attempt(name, once, Outcome(), rounds, effort, lock, outcome.failed)
        for round_ in range(effort.pairs):
            there = [name for name in names if name not in outcome.failed and round_ < rounds.get(name, effort.pairs)]
            for name in in_turn(there, round_):
                attempt(name, once, outcome, rounds, effort, lock, outcome.failed)
    for name in outcome.failed:
        outcome.seconds.pop(name, None)
    return outcome


def attempt(name, once, outcome: Outcome, rounds: dict[str, int], effort: Effort, lock: TimingLock, failed: dict[str, str]) -> None:
    known = outcome.seconds.get(name)
    lock.let_others(soon=known[-1] if known else 0)
    since = time.perf_counter()
    try:
        outcome.seconds.setdefault(name, []).append(significant(once(name, outcome)))
    except WorkerFailed as failure:
        failed[name] = str(failure)
    if name != OWN:
        rounds.setdefault(name, rounds_for(time.perf_counter() - since, effort))
