// What would help a run, each with the figures that say so and what to write for it; the most useful first. Without evidence there is no
// advice: a run that is well set up gets none.
//
//     for (const Advice& a : advise(run, {.cores = usable_cores(), .devices = devices()})) std::puts(a.message.c_str());
#pragma once

#include <tidepool/device.h>

#include "monitor/record.h"

#include <vector>

namespace tidepool::inline v0::monitor {

struct MachineFacts {
  int cores = 0;  // that this process may use
  std::vector<DeviceInfo> devices;
};

std::vector<Advice> advise(const RunRecord& run, const MachineFacts& machine);

}  // namespace tidepool::inline v0::monitor
