"""Runs the participants of a work in turn, round after round, each in a process of its own while the others sleep.

    outcome = measure_steps(["tidepool", "jax", "tfjs"], start, "cnn", Effort())
    outcome.pairs("jax")      # ([JAX's seconds for a step], [Tidepool's next to them])
    outcome.failed["tfjs"]    # why there are none
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bystanders import Bystanders
from figures import significant
from timing_lock import TimingLock
from worker_process import WorkerFailed, WorkerProcess

OWN = "tidepool"
Start = Callable[[str], WorkerProcess]  # by the participant's name
Once = Callable[[str, "Turn"], None]  # a process from start to end: fills the turn


@dataclass(frozen=True)
class Effort:
    pairs: int = 30
    tries: int = 2  # rounds, times the pairs, while others take too much of the machine
    quiet: float = 0.1  # of all cores: what others may take in a round
    turn: float = 0.1  # seconds that a turn should take; a long step is a turn by itself
    patience: float = 60.0  # seconds for all turns of one participant, after which it has at least `least`
    least: int = 3
    prepare_limit: float = 300.0  # seconds for compiling and the first step
    lock: str = "/tmp/tidepool-timing.lock"


@dataclass
class Turn:
    seconds: float = 0.0
    more: dict[str, float] = field(default_factory=dict)  # "peak_bytes", "accuracy"


@dataclass
class Round:
    turns: dict[str, Turn] = field(default_factory=dict)  # by participant
    bystanders: float = 0.0  # the share of the machine that others took


@dataclass
class Outcome:
    rounds: list[Round] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    prepare_seconds: dict[str, float] = field(default_factory=dict)
    repetitions: dict[str, int] = field(default_factory=dict)
    disturbance: float = 0.0  # the largest share of a core that workers who should sleep took in somebody's turn

    def names(self) -> list[str]:
        return list(dict.fromkeys(name for round_ in self.rounds for name in round_.turns))

    def turns(self, name: str) -> list[Turn]:
        return [round_.turns[name] for round_ in self.rounds if name in round_.turns]

    def pairs(self, name: str) -> tuple[list[float], list[float]]:
        both = [round_.turns for round_ in self.rounds if name in round_.turns and OWN in round_.turns]
        return [turns[name].seconds for turns in both], [turns[OWN].seconds for turns in both]

    def forget(self, name: str, reason: str) -> None:
        self.failed[name] = reason
        for round_ in self.rounds:
            round_.turns.pop(name, None)


def in_turn(names: list[str], round_: int) -> list[str]:
    """Another one begins each time, so that nobody always follows the same one."""
    shift = round_ % len(names) if names else 0
    return names[shift:] + names[:shift]


def rounds_for(seconds: float, effort: Effort) -> int:
    """A slow one takes part in fewer rounds; Tidepool is there in all of them."""
    return min(effort.pairs, max(effort.least, int(effort.patience / max(seconds, 1e-9))))


class Rounds:
    """Who takes part in the next round, and which rounds count: the quietest, as many as were wanted."""

    def __init__(self, names: list[str], effort: Effort, wanted: dict[str, int]):
        self.names, self.effort, self.wanted = names, effort, wanted
        self.all: list[Round] = []

    def next(self, failed: dict[str, str]) -> list[str]:
        there = [name for name in self.names if name not in failed and self.goes_on(name)]
        peers = [name for name in self.names if name != OWN and name not in failed]
        if peers and not set(there) - {OWN}:
            return []  # Tidepool alone has nobody to be compared with
        return in_turn(there, len(self.all))

    def goes_on(self, name: str) -> bool:
        wanted = self.effort.pairs if name == OWN else self.wanted.get(name, self.effort.pairs)
        tried = [round_ for round_ in self.all if name in round_.turns]
        quiet = sum(round_.bystanders <= self.effort.quiet for round_ in tried)
        if name == OWN:
            return len(self.all) < wanted * self.effort.tries
        return quiet < wanted and len(tried) < wanted * self.effort.tries

    def counting(self) -> list[Round]:
        """By how quiet it was, never by what was measured; each participant in as many as it was wanted for."""
        kept = [Round(bystanders=round_.bystanders) for round_ in self.all]
        for name in self.names:
            those = [i for i, round_ in enumerate(self.all) if name in round_.turns]
            wanted = len(those) if name == OWN else self.wanted.get(name, self.effort.pairs)
            for i in sorted(those, key=lambda i: max(self.all[i].bystanders, self.effort.quiet))[:wanted]:
                kept[i].turns[name] = self.all[i].turns[name]
        peers = {name for round_ in kept for name in round_.turns} - {OWN}
        return [round_ for round_ in kept if set(round_.turns) & peers or not peers and round_.turns]


def measure_steps(names: list[str], start: Start, work: str, effort: Effort) -> Outcome:
    outcome = Outcome()
    workers: dict[str, WorkerProcess] = {}
    try:
        with TimingLock(effort.lock, alone=False):
            for name in names:
                prepare(name, start, work, effort, workers, outcome)
        with TimingLock(effort.lock, alone=True) as lock:
            wanted = {name: calibrate(name, worker, effort, outcome) for name, worker in workers.items()}
            rounds = Rounds(list(workers), effort, wanted)
            while there := rounds.next(outcome.failed):
                lock.let_others()
                bystanders = Bystanders(workers.values())
                round_ = Round({name: turn for name in there if (turn := take_turn(name, workers, effort, outcome))})
                round_.bystanders = significant(bystanders.share(), 2)
                rounds.all.append(round_)
            outcome.rounds = rounds.counting()
    finally:
        for worker in workers.values():
            worker.end()
    for name, reason in outcome.failed.items():
        outcome.forget(name, reason)
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
    """Finds how many repetitions make a turn; says how many rounds it takes part in."""
    count, each = 1, 0.0
    try:
        for _ in range(3):
            worker.wait_until_asleep()
            each = worker.ask(f"run {count} 1", effort.prepare_limit)["seconds"] / count
            count = max(1, min(10_000_000, round(effort.turn / max(each, 1e-9))))
    except WorkerFailed as failure:
        outcome.failed[name] = str(failure)
    outcome.repetitions[name] = count
    return rounds_for(each * (count + warming(count)), effort)


def warming(repetitions: int) -> int:
    return max(1, repetitions // 10)


def take_turn(name: str, workers: dict[str, WorkerProcess], effort: Effort, outcome: Outcome) -> Turn | None:
    others = [worker for other, worker in workers.items() if other != name]
    count = outcome.repetitions[name]
    before, since = sum(worker.cpu_seconds() for worker in others), time.perf_counter()
    try:
        seconds = workers[name].ask(f"run {count} {warming(count)}", effort.prepare_limit)["seconds"]
    except WorkerFailed as failure:
        outcome.failed[name] = str(failure)
        return None
    taken = sum(worker.cpu_seconds() for worker in others) - before
    outcome.disturbance = max(outcome.disturbance, significant(taken / (time.perf_counter() - since), 2))
    workers[name].wait_until_asleep()
    return Turn(significant(seconds / count))


def measure_processes(names: list[str], once: Once, effort: Effort, warm: bool) -> Outcome:
    """A new process each time; nobody else is there."""
    outcome = Outcome()
    rounds = Rounds(names, effort, {})
    with TimingLock(effort.lock, alone=True) as lock:
        for name in names if warm else []:
            attempt(name, once, effort, outcome, rounds.wanted)
            lock.let_others()
        longest: dict[str, float] = {}
        while there := rounds.next(outcome.failed):
            bystanders, round_ = Bystanders(), Round()
            for name in there:
                lock.let_others(soon=longest.get(name, 0))
                if turn := attempt(name, once, effort, outcome, rounds.wanted):
                    round_.turns[name] = turn
                    longest[name] = max(turn.seconds, longest.get(name, 0))
            round_.bystanders = significant(bystanders.share(), 2)
            rounds.all.append(round_)
    outcome.rounds = rounds.counting()
    for name, reason in outcome.failed.items():
        outcome.forget(name, reason)
    return outcome


def attempt(name: str, once: Once, effort: Effort, outcome: Outcome, wanted: dict[str, int]) -> Turn | None:
    turn, since = Turn(), time.perf_counter()
    try:
        once(name, turn)
    except WorkerFailed as failure:
        outcome.failed[name] = str(failure)
        return None
    wanted.setdefault(name, rounds_for(time.perf_counter() - since, effort))
    turn.seconds = significant(turn.seconds)
    return turn
