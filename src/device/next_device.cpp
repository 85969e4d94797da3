#include "device/next_device.h"

#include "device/slot.h"
#include "platform/cat.h"
#include "platform/log.h"

namespace tidepool::inline v0 {

std::vector<Device> devices_after(const Device& one) {
  std::vector<Device> found;
  const std::vector<DeviceInfo> all = devices();
  for (const char* kind : {"discrete", "integrated", "virtual", "cpu"})
    for (const DeviceInfo& info : all)
      if (info.kind == kind && info.id != one.id()) found.push_back(device(info.id));
  return found;
}

void fall_back(const Device& one, const Device& next, const std::string& why) {
  if (default_device() == one) set_default_device(next);
  const std::string message = cat("went from ", one.id(), " to ", next.id(), ": ", why);
  warn(message);
  emit({.kind = DeviceEvent::fallback, .device = next, .message = message});
}

}  // namespace tidepool::inline v0
