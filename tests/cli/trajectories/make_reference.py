"""Flights by an independent solver, for flights_test.cpp to compare with: scipy.integrate.solve_ivp, tolerances 1e-10.

    python3 make_reference.py > reference.inc      # with NumPy and SciPy; the tests need neither

The physics is written here a second time, in vectors and from the balls' data, and nothing of Tidepool is used.
"""

import math

import numpy as np
from scipy.integrate import solve_ivp

GRAVITY = 9.80665
DENSITY = 1.225
# name: mass, radius, drag, start and slope of the lift's coefficient, as in src/cli/trajectories/balls.cpp
BALLS = {
    "baseball": (0.145, 0.0366, 0.35, 0.4, 2.32),
    "golf": (0.0459, 0.02135, 0.25, 0.4, 2.32),
    "tennis": (0.058, 0.0335, 0.55, 0.5, 1.8),
    "football": (0.43, 0.11, 0.25, 0.5, 2.0),
}
# speed, elevation, azimuth, spin, tilt
RANGES = {
    "baseball": ((30, 50), (10, 45), (-20, 20), (1000, 2800), (-20, 20)),
    "golf": ((50, 75), (8, 20), (-5, 5), (2000, 3500), (-10, 10)),
    "tennis": ((15, 45), (2, 25), (-10, 10), (-2500, 1500), (-15, 15)),
    "football": ((15, 32), (10, 45), (-20, 20), (200, 600), (-60, 60)),
}
WINDS = ((0, 0, 0), (6, -3, 0), (-4, 5, 0.5))


def fly(ball, wind, height, launch):
    mass, radius, drag, start, slope = BALLS[ball]
    speed, elevation, azimuth, spin, tilt = launch
    e, a, t = (math.radians(x) for x in (elevation, azimuth, tilt))
    velocity = speed * np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    ahead = np.array([math.cos(a), math.sin(a), 0])
    up = np.array([0.0, 0, 1])
    axis = math.cos(t) * np.cross(ahead, up) + math.sin(t) * up  # ahead × up points to the right: backspin
    decay = 20.0
    pressure = DENSITY * math.pi * radius**2 / 2
    omega0 = spin * 2 * math.pi / 60

    def rates(time, y):
        air = y[3:] - wind
        fast = np.linalg.norm(air)
        omega = omega0 * math.exp(-time / decay)
        turning = radius * abs(omega) / fast
        coefficient = turning / (start + slope * turning)
        force = -pressure * drag * fast * air
        force += math.copysign(1, omega) * pressure * coefficient * fast * np.cross(axis, air)
        return np.concatenate([y[3:], force / mass - GRAVITY * up])

    def ground(time, y):
        return y[2] if time > 1e-6 else 1.0

    def top(time, y):
        return y[5]

    ground.terminal, ground.direction, top.direction = True, -1, -1
    begin = np.concatenate([[0, 0, height], velocity])
    s = solve_ivp(rates, (0, 60), begin, method="DOP853", rtol=1e-10, atol=1e-10, events=(ground, top))
    assert s.status == 1, "it did not land"
    end = s.y_events[0][0]
    apex = max([height] + [y[2] for y in s.y_events[1]])
    return end[0], end[1], s.t_events[0][0], apex, float(np.linalg.norm(end[3:]))


def main():
    random = np.random.default_rng(20261117)
    print("// Made by make_reference.py: ball, wind, height, launch; x, y, time, apex, speed.")
    for ball, ranges in RANGES.items():
        for wind in WINDS:
            for height in (0.0, 1.5):
                for _ in range(3):
                    launch = [float(np.float32(random.uniform(*r))) for r in ranges]
                    outcome = fly(ball, np.array(wind), height, launch)
                    inside = ", ".join(f"{x:.9g}" for x in launch)
                    print(f'{{"{ball}", {{{", ".join(map(str, wind))}}}, {height}, {{{inside}}}, {{{", ".join(f"{x:.10g}" for x in outcome)}}}}},')


main()
