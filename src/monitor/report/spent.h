// Where a run's time and memory went, by its samples.
#pragma once

#include "monitor/report.h"

namespace tidepool::inline v0::monitor {

TimeSpent time_spent(const RunRecord& run);
MemorySpent memory_spent(const RunRecord& run);
std::string tag_name(std::size_t tag);  // of a sample's bytes by tag

}  // namespace tidepool::inline v0::monitor
