// The record as Prometheus reads it: text of version 0.0.4, in base units, with the prefix tidepool_.
#pragma once

#include <string>

#include "monitor/record.h"

namespace tidepool::inline v0::monitor {

// What is not known is left out: no figure stands for one that is absent.
TIDEPOOL_API std::string prometheus_text(const RunRecord& run);

}  // namespace tidepool::inline v0::monitor
