"""Tidepool alone: what a training step costs against batch, width and depth, and what a second thread gains."""

from collections.abc import Callable
from dataclasses import dataclass

from figures import figure, significant
from measuring import Effort, Outcome, calibrate, measure_steps, warming
from timing_lock import TimingLock
from worker_process import WorkerProcess

CLIFF = 1.5  # a cost for a unit of work that rises by more than this from one point to the next is one


@dataclass(frozen=True)
class Sweep:
    name: str
    title: str
    axis: str
    points: tuple[int, ...]
    work: Callable[[int], str]  # what the worker is asked for
    operations: Callable[[int], float]  # multiplications and additions of a step


def dense_operations(inputs: int, width: int, depth: int, batch: int) -> float:
    """Forward, and for the gradients of weights and inputs; the first layer's inputs have none. Adam: some ten for each parameter."""
    products = inputs * width * 2 + (depth - 1) * width * width * 3 + width * 10 * 3
    return 2.0 * batch * products + 10.0 * dense_parameters(inputs, width, depth)


def dense_parameters(inputs: int, width: int, depth: int) -> int:
    return inputs * width + (depth - 1) * width * width + width * 10 + depth * width + 10


def cnn_operations(batch: int) -> float:
    convolutions = 28 * 28 * 32 * 9 * 2 + 14 * 14 * 64 * 32 * 9 * 3
    return 2.0 * batch * (convolutions + 3 * (3136 * 128 + 128 * 10)) + 10.0 * 421642


def powers(first: int, last: int, factor: int = 2) -> tuple[int, ...]:
    points = [first]
    while points[-1] * factor <= last:
        points.append(points[-1] * factor)
    return tuple(points)


SWEEPS = (
    Sweep("batch", "MLP 784-256-256-10", "batch", powers(1, 4096), lambda n: f"dense 784 256 2 {n}", lambda n: dense_operations(784, 256, 2, n)),
    Sweep("cnn-batch", "CNN 32, 64, 128 hidden", "batch", powers(1, 4096), lambda n: f"cnn {n}", cnn_operations),
    Sweep("width", "two hidden layers, batch 128", "width", powers(8, 2048), lambda n: f"dense 784 {n} 2 128", lambda n: dense_operations(784, n, 2, 128)),
    Sweep("depth", "layers of 256, batch 128", "depth", powers(1, 64), lambda n: f"dense 256 256 {n} 128", lambda n: dense_operations(256, 256, n, 128)),
)


def parameters_of(sweep: Sweep, point: int) -> int | None:
    """Where a sweep changes the number of parameters."""
    if sweep.name == "width":
        return dense_parameters(784, point, 2)
    return dense_parameters(256, 256, point) if sweep.name == "depth" else None


def measure(start: Callable[[int], WorkerProcess], effort: Effort, turns: int, most: float) -> dict:
    """A median of several turns for each point; a point whose step takes longer than `most` seconds is the last of its sweep."""
    content: dict = {"sweeps": {}}
    with start(2) as worker, TimingLock(effort.lock, alone=True) as lock:
        for sweep in SWEEPS:
            points = content["sweeps"].setdefault(sweep.name, {})
            for point in sweep.points:
                lock.let_others(soon=15)
                worker.ask(f"prepare {sweep.work(point)}", effort.prepare_limit)
                outcome = Outcome()
                calibrate("tidepool", worker, effort, outcome)
                count = outcome.repetitions["tidepool"]
                asked = [worker.ask(f"run {count} {warming(count)}", effort.prepare_limit)["seconds"] / count for _ in range(turns)]
                points[str(point)] = [significant(seconds) for seconds in asked]
                if min(asked) > most:
                    break
    return content


def measure_threads(start: Callable[[int], WorkerProcess], effort: Effort) -> dict:
    """The CNN's step with one thread and with two, in turn."""
    outcome = measure_steps(["tidepool", "one"], lambda name: start(1 if name == "one" else 2), "cnn", effort)
    one, two = outcome.pairs("one")
    return {"one": one, "two": two}


def cliffs(sweep: Sweep, points: dict[str, list[float]]) -> list[tuple[int, float]]:
    """Where a unit of work costs much more than at the point before: the point, and how many times as much."""
    found, before = [], None
    for point in sweep.points:
        if str(point) not in points:
            continue
        cost = figure(points[str(point)]).median / sweep.operations(point)
        if before is not None and cost > CLIFF * before:
            found.append((point, cost / before))
        before = cost
    return found
