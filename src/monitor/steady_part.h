// The newest part of a run in which it went its usual way, as sums and medians: what advice is made of.
//
//     if (const std::optional<SteadyPart> part = steady_part(run)) part->compute_ms / part->wall_ms;
#pragma once

#include "monitor/record.h"

#include <optional>

namespace tidepool::inline v0::monitor {

struct SteadyPart {
  double wall_ms = 0;  // without evaluation and other time between steps
  // What was added in that time.
  double steps = 0, launches = 0, flushes = 0, plan_runs = 0, allocations = 0, reuses = 0, evictions = 0, compute_ms = 0;
  // Medians; of the samples in which steps ended where they are about steps.
  double step_ms = 0, loader_ms = 0, loader_share = 0, live = 0, cached = 0, reserved = 0;
  double uneven = 1;            // the step at the ninth tenth over the median one
  double working = 0;           // bytes of activations and plans
  std::optional<double> crowd;  // the system's utilisation of the device
  double highest_live = 0;      // but for the highest fiftieth
  double limit = 0;             // at the end

  double busy() const { return wall_ms > 0 ? compute_ms / wall_ms : 0; }  // the share of time that the device computed for us
  double per_step(double count) const { return steps > 0 ? count / steps : 0; }
};

// Nothing for fewer than 20 samples of one device (and 20 steps in training) after the first two seconds.
std::optional<SteadyPart> steady_part(const RunRecord& run);

}  // namespace tidepool::inline v0::monitor
