"""Medians, spreads and ratios of what was measured, and how they are written.

    figure([1.2e-3, 1.1e-3, 1.4e-3]).text()      # "1.2 ms (1.15–1.3)"
    times(ratios(peer, own).median)              # "3.1 ×"
"""

import statistics
from dataclasses import dataclass

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


@dataclass(frozen=True)
class Figure:
    low: float  # a quarter is below; with fewer than four values, the least
    median: float
    high: float
    count: int

    def text(self) -> str:
        """A time, with the quartiles in the same unit."""
        scale, unit = unit_of(self.median)
        if self.count == 1:
            return f"{digits(self.median / scale)} {unit}"
        return f"{digits(self.median / scale)} {unit} ({digits(self.low / scale)}–{digits(self.high / scale)})"


def figure(values: list[float]) -> Figure:
    ordered = sorted(values)
    if len(ordered) < 4:
        return Figure(ordered[0], statistics.median(ordered), ordered[-1], len(ordered))
    low, median, high = statistics.quantiles(ordered, n=4, method="inclusive")
    return Figure(low, median, high, len(ordered))


def ratios(peer: list[float], own: list[float]) -> Figure:
    """How many times as long the peer took, pair by pair."""
    return figure([theirs / ours for theirs, ours in zip(peer, own, strict=True)])


def unit_of(seconds: float) -> tuple[float, str]:
    return next(((scale, unit) for scale, unit in UNITS if seconds >= scale * 0.9995), UNITS[-1])


def digits(value: float) -> str:
    """Three digits that count, without an exponent."""
    if value >= 99.95:
        return f"{value:,.0f}"
    if value >= 9.995:
        return f"{value:.1f}"
    if value >= 0.9995:
        return f"{value:.2f}"
    return f"{value:.3g}"


def times(ratio: float) -> str:
    return f"{digits(ratio)} ×"


def megabytes(count: float) -> str:
    return f"{digits(count / 1e9)} GB" if count >= 1e9 else f"{digits(count / 1e6)} MB"


def significant(value: float, count: int = 5) -> float:
    """Rounded, for files that people read."""
    return float(f"{value:.{count}g}")
