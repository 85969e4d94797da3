#include "device/next_device.h"

#include "device/select.h"
#include "device/slot.h"
#include "platform/cat.h"
#include "platform/log.h"

namespace tidepool::inline v0 {

std::optional<Device> device_after(const Device& one, std::string& failed) {
  const std::vector<DeviceInfo> all = devices();
  for (const std::size_t i : best_first(all)) {
    if (all[i].kind == "software" || all[i].id == one.id()) continue;
    try {
      const Device next = device(all[i].id);
      require_usable(next);
      return next;
    } catch (const DeviceError& error) {
      failed += cat(failed.empty() ? "" : "; ", error.what());
    }
  }
  return std::nullopt;
}

std::string loss_text(const Device& device, const DeviceLost& error) {
  const std::shared_ptr<Stream> stream = device.slot().stream_if_open();
  if (!stream) return error.what();
  const StreamLock lock(*stream);
  if (!stream->lost()) return error.what();
  return cat(device.id(), " was lost: ", stream->why_lost());
}

std::optional<Device> device_to_go_on_with(const Device& lost, std::int64_t fruitless, std::string& failed) {
  const bool give_it_up = fruitless > 2;
  if (!give_it_up) try {
      lost.slot().reset_unless_well();
      return lost;
    } catch (const DeviceError& error) {
      failed = error.what();
    }
  if (const std::optional<Device> next = device_after(lost, failed)) {
    if (failed.empty()) failed = "it was lost again and again";
    fall_back(lost, *next, failed);
    return next;
  }
  if (!give_it_up) return std::nullopt;
  lost.slot().reset_unless_well();
  return lost;
}

void fall_back(const Device& one, const Device& next, const std::string& why) {
  if (default_device() == one) set_default_device(next);
  const std::string message = cat("went from ", one.id(), " to ", next.id(), ": ", why);
  warn(message);
  emit({.kind = DeviceEvent::fallback, .device = next, .message = message});
}

}  // namespace tidepool::inline v0
