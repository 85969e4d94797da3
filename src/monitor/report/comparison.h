// Two runs beside each other: what changed, and whether that means anything.
#pragma once

#include <vector>

#include "monitor/report.h"

namespace tidepool::inline v0::monitor {

Comparison compare(const RunRecord& run, const RunRecord& earlier);

std::vector<double> step_times(const RunRecord& run);  // of its samples, in milliseconds

}  // namespace tidepool::inline v0::monitor
