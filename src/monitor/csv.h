// The samples as CSV: a line of names, then a line for each sample. What is absent is empty; bytes by tag have a column each.
#pragma once

#include <string>

#include "monitor/record.h"

namespace tidepool::inline v0::monitor {

TIDEPOOL_API std::string samples_csv(const RunRecord& run);

}  // namespace tidepool::inline v0::monitor
