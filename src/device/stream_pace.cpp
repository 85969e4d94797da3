// How a stream keeps its work below a share of the device's time.
#include "device/loads.h"
#include "device/slot.h"
#include "device/stream.h"
#include "platform/cat.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace tidepool::inline v0 {

// Every two seconds: what others do on the device, where somebody knows.
void Stream::look_at_load() {
  const auto now = std::chrono::steady_clock::now();
  const auto since = now - load_seen_;
  if (since < std::chrono::seconds(2)) return;
  const double ours = std::chrono::duration<double>(busy_ - busy_then_) / std::chrono::duration<double>(since);
  load_seen_ = now;
  busy_then_ = busy_;
  for (const ListedDevice& device : list_devices())
    if (device.id == slot_.id())
      if (const Load load = load_of(device); load.value) pace_.others_take(std::max(0.0, *load.value - ours));
}

void Stream::rest() {
  if (!pace_.limits()) [[likely]]
    return;
  if (!info_.immediate) {
    const auto start = std::chrono::steady_clock::now();
    wait(last_);
    worked_ += std::chrono::steady_clock::now() - start;
  }
  busy_ += worked_;
  look_at_load();
  const std::chrono::nanoseconds time = pace_.worked(std::exchange(worked_, {}));
  if (time.count() == 0) return;
  if (!std::exchange(pace_told_, true))
    slot_.announce({.kind = DeviceEvent::paced,
                    .device = Device(slot_),
                    .message = cat(slot_.id(), " is paced: our work takes at most ", 100 * pace_.share(), " % of its time")});
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(time);
  pace_.rested(std::chrono::steady_clock::now() - start);
}

void Stream::set_pace(double share) {
  if (share == pace_.share()) return;
  pace_.set_share(share);
  worked_ = busy_ = busy_then_ = {};
  load_seen_ = std::chrono::steady_clock::now();
  if (std::exchange(pace_told_, false) && !pace_.limits())
    slot_.announce({.kind = DeviceEvent::restored, .device = Device(slot_), .message = cat(slot_.id(), " is no longer paced")});
}

}  // namespace tidepool::inline v0
