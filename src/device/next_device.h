// Where work goes when its device is no longer fit for it.
#pragma once

#include <tidepool/device.h>

#include <optional>
#include <string>

namespace tidepool::inline v0 {

// The first of the other devices that can be opened: discrete, integrated, the CPU. Software rasterisers are no help. Why others
// could not is added to `failed`.
std::optional<Device> device_after(const Device& one, std::string& failed);
// Says so, and makes `next` the default if `one` was.
void fall_back(const Device& one, const Device& next, const std::string& why);

}  // namespace tidepool::inline v0
