// Two runs beside each other: what changed, and whether that means anything.
#pragma once

#include <optional>

#include "monitor/report.h"

namespace tidepool::inline v0::monitor {

Comparison compare(const RunRecord& run, const RunRecord& earlier);

// How long a step took, in milliseconds: by the last 1,000 readings where the record has them, or else by its samples. The
// 99th percentile is 0 where there are too few to tell.
struct StepTimes {
  double median = 0, spread = 0;
  double p99 = 0, low = 0, high = 0;  // and what it may as well have been
};
std::optional<StepTimes> step_times(const RunRecord& run);

}  // namespace tidepool::inline v0::monitor
