#!/usr/bin/env python3
"""Writes normal_table.inc: cubic polynomials of the normal distribution's quantiles.

A 32-bit random number r gives a sign (its top bit) and w = 2 * (r without it) + 1, so that P = w / 2^32 is uniform in (0, 1)
and z = quantile(1 - P / 2) is half-normal. The polynomial is found by w's highest bit (32 octaves) and the three bits after it
(8 steps), and evaluated at t in [0, 1), the bits after those. Only additions and multiplications: the same bits everywhere.
"""
import math
import pathlib
from statistics import NormalDist

OCTAVES, STEPS = 32, 8
NODES = [0.5 - 0.5 * math.cos((2 * i + 1) * math.pi / 8) for i in range(4)]  # Chebyshev's


def z(octave, step, t):
    w = 2.0**octave * (1 + (step + t) / STEPS)
    return -NormalDist().inv_cdf(min(w / 2.0**33, 0.5))


def cubic(values):
    """Coefficients of the cubic through the nodes, by Gaussian elimination."""
    rows = [[x**k for k in range(4)] + [y] for x, y in zip(NODES, values)]
    for i in range(4):
        pivot = max(range(i, 4), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(4):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [rows[i][4] / rows[i][i] for i in range(4)]


def literal(value):
    digits = f"{value:.9g}"
    return digits + ("f" if "." in digits or "e" in digits else ".0f")


lines = []
for octave in range(OCTAVES):
    for step in range(STEPS):
        lines.append(", ".join(literal(c) for c in cubic([z(octave, step, t) for t in NODES])))
text = ",\n".join(lines) + "\n"
worst = 0.0
for octave in range(OCTAVES):
    for step in range(STEPS):
        a, b, c, d = (float(part.rstrip("f")) for part in lines[octave * STEPS + step].split(", "))
        for i in range(65):
            t = i / 65
            worst = max(worst, abs(a + t * (b + t * (c + t * d)) - z(octave, step, t)))
print(f"worst error, before rounding to f32: {worst:.1e}")
pathlib.Path(__file__).with_name("normal_table.inc").write_text(text)
