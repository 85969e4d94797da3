// What holds a run up, by figures alone, and what to do about it.
#pragma once

#include <vector>

#include "monitor/report.h"

namespace tidepool::inline v0::monitor {

std::string quoted(const std::string& name);  // as code, where the text is shown

// The worst first; none for a run of which too little is known.
std::vector<Bottleneck> bottlenecks_of(const RunRecord& run, const TimeSpent& time, const MemorySpent& memory);

// The advice that the run had, and for bottlenecks that it had none for, what usually helps. The most urgent first.
std::vector<Recommendation> recommendations_of(const RunRecord& run, const std::vector<Bottleneck>& bottlenecks,
                                               const std::vector<Change>& regressions);

}  // namespace tidepool::inline v0::monitor
