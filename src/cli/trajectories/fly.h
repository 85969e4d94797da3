// Flights as a kernel: one work item is one flight, from its launch to where it lands.
//
//     const Kernel kernel = flight_kernel(Method::adaptive);
//     kernel(params.count, params, {launches, outcomes});      // [launch_rows, row] in, [outcome_rows, row] out
#pragma once

#include <tidepool/kernel.h>

#include <cstdint>

namespace tidepool::cli {

#include "cli/trajectories/params.glsl"

enum class Method : std::uint8_t { rk4, adaptive };

// Rows of the tensors: the members of Launch and Outcome in flight.glsl.
enum LaunchRow : std::uint8_t { launch_speed, launch_elevation, launch_azimuth, launch_spin, launch_tilt };
enum OutcomeRow : std::uint8_t { outcome_x, outcome_y, outcome_time, outcome_apex, outcome_speed, outcome_steps };
constexpr std::int64_t launch_rows = 5, outcome_rows = 6;

// Drivers may end a shader's loops after 65,535 rounds in all (docs/decisions/2026-11-16-loops-that-a-driver-cuts.md).
constexpr int most_steps = 60'000;

Kernel flight_kernel(Method method);

// The CPU's side of it.
void fly_fixed(KernelCall& call);
void fly_adaptive(KernelCall& call);

}  // namespace tidepool::cli
