// How a ball flies: the only place that knows. It is read by GLSL (fly.comp), by C++ with vectors of floats (fly_cpu.cpp) and by C++ with
// one number of any precision (flight.h), so it uses only what all of them know. Before it is included there must be:
//
//     Real                a number, or as many as fit; number(1.5) makes one
//     Truth               of a comparison, with && || ! and select(truth, a, b); some(truth) is a plain bool: is it so for any?
//     sqrt exp log abs of a Real, FlightParams (params.glsl), and what stands before a function: FUNCTION, or APART where it is large or
//     seldom called and need not be part of its caller, which takes compilers half of the time
//
// x is ahead, y to the left, z up. Flights that are over wait for the others of their vector, so what changes is chosen, not branched on.

struct State {
  Real x, y, z, vx, vy, vz;
  Real surface;  // how fast the ball's surface turns, m/s; below zero for topspin
};
struct Axis {  // of the spin; it keeps its direction
  Real x, y, z;
};
struct Launch {
  Real speed, elevation, azimuth;  // m/s and degrees
  Real spin, tilt;                 // turns a minute about a level axis, tilted by so many degrees to curve the flight to the left
};
struct Outcome {
  Real x, y, time, apex, speed;  // where and when it lands, how high it was, and how fast it is in the end
  Real steps;                    // below zero: it was given up before it landed, and nothing else means anything
};

FUNCTION State choose(Truth t, State a, State b) {
  return State(select(t, a.x, b.x), select(t, a.y, b.y), select(t, a.z, b.z), select(t, a.vx, b.vx), select(t, a.vy, b.vy),
               select(t, a.vz, b.vz), select(t, a.surface, b.surface));
}
FUNCTION State scaled(Real c, State a) {
  return State(c * a.x, c * a.y, c * a.z, c * a.vx, c * a.vy, c * a.vz, c * a.surface);
}
FUNCTION State plus(State a, State b) {
  return State(a.x + b.x, a.y + b.y, a.z + b.z, a.vx + b.vx, a.vy + b.vy, a.vz + b.vz, a.surface + b.surface);
}
FUNCTION State moved(State s, Real h, State rate) { return plus(s, scaled(h, rate)); }

FUNCTION Real limited(Real a, Real low, Real high) { return select(a < low, low, select(a > high, high, a)); }

// What changes, each second. Drag goes against the air, lift (Magnus) across the air and the axis.
FUNCTION State rates(FlightParams p, Axis axis, State s) {
  const Real ux = s.vx - p.wind_x, uy = s.vy - p.wind_y, uz = s.vz - p.wind_z;
  const Real speed = sqrt(ux * ux + uy * uy + uz * uz);
  const Real drag = p.drag * speed;
  const Real lift = p.lift * s.surface * speed / (p.lift_start * speed + p.lift_slope * abs(s.surface) + number(1e-20));
  return State(s.vx, s.vy, s.vz, lift * (axis.y * uz - axis.z * uy) - drag * ux, lift * (axis.z * ux - axis.x * uz) - drag * uy,
               lift * (axis.x * uy - axis.y * ux) - drag * uz - p.gravity, -(p.spin_loss * s.surface));
}

// One step by the method of Runge and Kutta of order four.
APART State rk4(FlightParams p, Axis axis, State s, Real h) {
  const Real half_h = number(0.5) * h;
  const State a = rates(p, axis, s);
  const State b = rates(p, axis, moved(s, half_h, a));
  const State c = rates(p, axis, moved(s, half_h, b));
  const State d = rates(p, axis, moved(s, h, c));
  return moved(s, h * number(1.0 / 6.0), plus(plus(a, d), scaled(number(2.0), plus(b, c))));
}

// One step by the pair of Dormand and Prince: of order five, with an estimate of its error by one of order four.
struct Attempt {
  State to, rate;      // where it ends, and the rates there, which the next step begins with
  Real error_squared;  // by what is tolerated
};
APART Attempt dormand_prince(FlightParams p, Axis axis, State s, State k1, Real h) {
  const State k2 = rates(p, axis, moved(s, h, scaled(number(1.0 / 5.0), k1)));
  const State k3 = rates(p, axis, moved(s, h, plus(scaled(number(3.0 / 40.0), k1), scaled(number(9.0 / 40.0), k2))));
  const State k4 = rates(
      p, axis,
      moved(s, h, plus(plus(scaled(number(44.0 / 45.0), k1), scaled(number(-56.0 / 15.0), k2)), scaled(number(32.0 / 9.0), k3))));
  const State k5 = rates(p, axis,
                         moved(s, h,
                               plus(plus(scaled(number(19372.0 / 6561.0), k1), scaled(number(-25360.0 / 2187.0), k2)),
                                    plus(scaled(number(64448.0 / 6561.0), k3), scaled(number(-212.0 / 729.0), k4)))));
  const State k6 = rates(
      p, axis,
      moved(s, h,
            plus(plus(plus(scaled(number(9017.0 / 3168.0), k1), scaled(number(-355.0 / 33.0), k2)),
                      plus(scaled(number(46732.0 / 5247.0), k3), scaled(number(49.0 / 176.0), k4))),
                 scaled(number(-5103.0 / 18656.0), k5))));
  const State to = moved(s, h,
                         plus(plus(plus(scaled(number(35.0 / 384.0), k1), scaled(number(500.0 / 1113.0), k3)),
                                   plus(scaled(number(125.0 / 192.0), k4), scaled(number(-2187.0 / 6784.0), k5))),
                              scaled(number(11.0 / 84.0), k6)));
  const State k7 = rates(p, axis, to);
  const State e = scaled(h, plus(plus(plus(scaled(number(71.0 / 57600.0), k1), scaled(number(-71.0 / 16695.0), k3)),
                                      plus(scaled(number(71.0 / 1920.0), k4), scaled(number(-17253.0 / 339200.0), k5))),
                                 plus(scaled(number(22.0 / 525.0), k6), scaled(number(-1.0 / 40.0), k7))));
  const Real place = (e.x * e.x + e.y * e.y + e.z * e.z) / (number(1.0) + to.x * to.x + to.y * to.y + to.z * to.z);
  const Real velocity = (e.vx * e.vx + e.vy * e.vy + e.vz * e.vz + e.surface * e.surface) /
                        (number(1.0) + to.vx * to.vx + to.vy * to.vy + to.vz * to.vz + to.surface * to.surface);
  return Attempt(to, k7, select(place > velocity, place, velocity) / (p.tolerance * p.tolerance));
}

// The next step: as long as would have made the error just tolerable, with some caution, and not too different from this one.
APART Real next_step(Real h, Real error_squared) {
  const Real factor = number(0.9) * exp(number(-0.1) * log(error_squared + number(1e-12)));
  const Real longest = number(1.0), next = h * limited(factor, number(0.2), number(5.0));
  return select(next > longest, longest, next);
}

// The part of a step of h from s to `end` after which z is 0: of the cubic that has the same heights and climbs at both ends. It is the later one
// where the step begins on the ground too.
APART Real landing_part(State s, State end, Real h) {
  Real above = number(0.0), below = number(1.0);
  for (int i = 0; i < 20; ++i) {
    const Real t = number(0.5) * (above + below), rest = number(1.0) - t;
    const Real z = rest * rest * (s.z * (number(1.0) + number(2.0) * t) + h * s.vz * t) +
                   t * t * (end.z * (number(1.0) + number(2.0) * rest) - h * end.vz * rest);
    const Truth flies = z > number(0.0);
    above = select(flies, t, above);
    below = select(flies, below, t);
  }
  return h * below;
}

// Of an angle from -180 to 180 degrees: by the series of its half, so that every device gets the same bits.
struct Turn {
  Real sine, cosine;
};
APART Turn turn(Real degrees) {
  const Real x = degrees * number(3.14159265358979 / 360.0), m = -(x * x), one = number(1.0);
  const Real s = x * (one + m * number(1.0 / 6.0) * (one + m * number(1.0 / 20.0) * (one + m * number(1.0 / 42.0) * (one + m * number(1.0 / 72.0) *
                     (one + m * number(1.0 / 110.0) * (one + m * number(1.0 / 156.0)))))));
  const Real c = one + m * number(1.0 / 2.0) * (one + m * number(1.0 / 12.0) * (one + m * number(1.0 / 30.0) * (one + m * number(1.0 / 56.0) *
                     (one + m * number(1.0 / 90.0) * (one + m * number(1.0 / 132.0) * (one + m * number(1.0 / 182.0)))))));
  return Turn(number(2.0) * s * c, c * c - s * s);
}
APART Axis axis_of(Launch l) {
  const Turn azimuth = turn(l.azimuth), tilt = turn(l.tilt);
  return Axis(tilt.cosine * azimuth.sine, -(tilt.cosine * azimuth.cosine), tilt.sine);
}
APART State start_of(FlightParams p, Launch l) {
  const Turn azimuth = turn(l.azimuth), elevation = turn(l.elevation);
  const Real level = l.speed * elevation.cosine;
  return State(number(0.0), number(0.0), number(0.0) + p.height, level * azimuth.cosine, level * azimuth.sine, l.speed * elevation.sine,
               p.surface_per_spin * l.spin);
}

// A flight, and then a few steps from two of its states again: from the one before the landing, of a length that ends on the ground (by
// Newton's method), and from the one before the highest point, of a length that ends where it does not climb (by the secant). So the place is as good
// as the method, however long its steps are; and the step stands in one place only, for compilers to be quick.
FUNCTION Outcome fly(FlightParams p, Launch l, bool adaptive) {
  const Axis axis = axis_of(l);
  const Real none = number(0.0), one = number(1.0);
  State s = start_of(p, l);
  State rate = rates(p, axis, s);  // for the adaptive method, which has it from the step before
  Real h = none + p.step, time = none, steps = none;
  State top = s;  // before the step in which it is highest
  Real top_part = none, top_height = s.z;
  Outcome outcome = Outcome(none, none, none, none, none, none);
  Truth flies = s.z >= none, has_landed = s.z < none;
  Real again = none;  // how many steps are left to be done again: three to the ground, three to the top
  for (int i = 0; i < p.most_steps + 6; ++i) {
    Attempt attempt = Attempt(s, rate, none);
    if (adaptive)
      attempt = dormand_prince(p, axis, s, rate, h);
    else
      attempt.to = rk4(p, axis, s, h);
    const State next = attempt.to;
    if (some(again > none)) {
      const Truth down = again > number(3.5), down_last = down && again < number(4.5), up = again > none && !down;
      outcome.x = select(down_last, next.x, outcome.x);
      outcome.y = select(down_last, next.y, outcome.y);
      outcome.time = select(down_last, time + h, outcome.time);
      outcome.speed = select(down_last, sqrt(next.vx * next.vx + next.vy * next.vy + next.vz * next.vz), outcome.speed);
      outcome.apex = select(up, next.z, outcome.apex);
      const Real sinks = select(next.vz < number(-1e-6), next.vz, number(-1e-6));
      const Real to_ground = limited(h - next.z / sinks, none, number(2.0) * h);
      const Real to_top = select(h > none, h * s.vz / (s.vz - next.vz), h);
      h = select(down_last, top_part, select(down, to_ground, select(up, to_top, h)));
      s = choose(down_last, top, s);
      rate = choose(down_last, rates(p, axis, top), rate);
      again = select(again > none, again - one, again);
    }
    const Truth good = flies && attempt.error_squared <= one;
    // What is no number neither lands nor flies on.
    const Truth lands = good && next.z <= none, goes_on = good && next.z > none;
    const Real higher = select(s.z > next.z, s.z, next.z);
    const Truth peaks = good && s.vz > none && next.vz <= none && higher >= top_height;
    if (some(peaks)) {
      top = choose(peaks, s, top);
      top_part = select(peaks, h * s.vz / (s.vz - next.vz), top_part);
      top_height = select(peaks, higher, top_height);
    }
    steps = select(flies, steps + one, steps);
    if (adaptive) {
      time = select(goes_on, time + h, time);
      rate = choose(goes_on, attempt.rate, rate);
    } else {
      time = select(goes_on, h * number(i + 1), time);
    }
    if (some(lands)) {
      h = select(lands, landing_part(s, next, h), h);
      again = select(lands, number(6.0), again);
      has_landed = has_landed || lands;
    }
    s = choose(goes_on, next, s);
    flies = flies && !lands && number(i + 1) < number(p.most_steps);
    if (adaptive) {
      h = select(flies, next_step(h, attempt.error_squared), h);
      flies = flies && h > number(1e-5);
    } else {
      flies = flies && goes_on;
    }
    if (!some(flies || again > none)) break;
  }
  outcome.steps = select(has_landed, steps, -steps);
  return outcome;
}
