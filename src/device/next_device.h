// Where work goes when its device is no longer fit for it.
#pragma once

#include <tidepool/device.h>

#include <string>
#include <vector>

namespace tidepool::inline v0 {

// The other devices, best first: discrete, integrated, the CPU. Software rasterisers are no help.
std::vector<Device> devices_after(const Device& one);
// Says so, and makes `next` the default if `one` was.
void fall_back(const Device& one, const Device& next, const std::string& why);

}  // namespace tidepool::inline v0
