// One flight in double precision, by the same formulas as on the devices: for pictures, and for tests to look closer.
#pragma once

#include <cmath>

#include "cli/trajectories/fly.h"

namespace tidepool::cli::plain {

using Real = double;
using Truth = bool;
using std::abs, std::exp, std::log, std::sqrt;
constexpr Real number(double value) { return value; }
constexpr Real select(bool condition, Real a, Real b) { return condition ? a : b; }
constexpr bool some(bool truth) { return truth; }

#define FUNCTION inline
#define APART inline
#include "cli/trajectories/flight.glsl"
#undef FUNCTION
#undef APART

}  // namespace tidepool::cli::plain
