// Balls that the command knows, and what follows from one for its flights.
#pragma once

#include <array>
#include <span>
#include <string>

#include "cli/trajectories/fly.h"

namespace tidepool::cli {

struct Range {
  double low, high;
};
using LaunchRanges = std::array<Range, launch_rows>;  // in the units of Launch in flight.glsl

struct Ball {
  std::string name;
  double mass, radius;            // kg, m
  double drag;                    // the coefficient
  double lift_start, lift_slope;  // of the coefficient of lift, S / (start + slope S)
  double height;                  // of the launch, m
  LaunchRanges launches;
};
std::span<const Ball> balls();
const Ball* find_ball(const std::string& name);

struct Air {
  double density = 1.225;  // kg/m³
  double wind[3] = {};     // m/s: ahead, to the left, up
  double spin_decay = 20;  // seconds until 1/e of the spin is left; 0: it stays
  bool drag = true, lift = true;
};

// All but which flights, and how they are computed.
FlightParams params_of(const Ball& ball, const Air& air, double height);

}  // namespace tidepool::cli
