// Two runs beside each other: what changed, and whether that means anything.
#pragma once

#include <vector>

#include "monitor/report.h"

namespace tidepool::inline v0::monitor {

Comparison compare(const RunRecord& run, const RunRecord& earlier);

// Of values in any order: the p-quantile (0 to 1) between neighbours, and how far values lie from the median (1.48 MAD, which is the
// standard deviation of normal ones). 0 for none.
double quantile_of(std::vector<double> values, double p);
double spread_of(const std::vector<double>& values);

// What the samples or epochs of a run say of one figure; those that are not finite are left out.
std::vector<double> step_times(const RunRecord& run);  // milliseconds

}  // namespace tidepool::inline v0::monitor
