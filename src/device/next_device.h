// Where work goes when its device is no longer fit for it.
#pragma once

#include <tidepool/device.h>
#include <tidepool/error.h>

#include <cstdint>
#include <optional>
#include <string>

namespace tidepool::inline v0 {

// The first of the other devices that can be opened: discrete, integrated, the CPU. Software rasterisers are no help. Why others
// could not is added to `failed`.
std::optional<Device> device_after(const Device& one, std::string& failed);
// What happened, without the advice that is for whoever has to see to it himself.
std::string loss_text(const Device& device, const DeviceLost& error);
// After a loss: the same one, made anew, by another who lost it too perhaps; but when it was lost more than twice without getting
// further, or cannot be made, the next. Nothing, and why in `failed`, when there is none.
std::optional<Device> device_to_go_on_with(const Device& lost, std::int64_t fruitless, std::string& failed);
// Says so, and makes `next` the default if `one` was.
void fall_back(const Device& one, const Device& next, const std::string& why);

}  // namespace tidepool::inline v0
