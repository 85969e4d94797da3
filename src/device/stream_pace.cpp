// How a stream keeps its work below a share of the device's time.
#include "backend/cpu/cpu_backend.h"
#include "device/loads.h"
#include "device/slot.h"
#include "device/stream.h"
#include "platform/cat.h"
#include "platform/system.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <utility>

namespace tidepool::inline v0 {

namespace {

// Of a load over all cores, ours is what our threads have of them.
double share_of_cores() {
  const int cores = std::max(usable_cores(), 1);
  return static_cast<double>(std::clamp(cpu_threads(), 1, cores)) / cores;
}

std::string percent(double share) { return cat(std::lround(100 * share), " %"); }

}  // namespace

// Every two seconds: what others do on the device, where somebody knows.
void Stream::look_at_load() {
  const auto now = std::chrono::steady_clock::now();
  const auto since = now - load_seen_;
  if (since < between_looks_at_load()) return;
  double ours = std::chrono::duration<double>(busy_ - busy_then_) / std::chrono::duration<double>(since);
  if (info_.kind == "cpu") ours *= share_of_cores();
  load_seen_ = now;
  busy_then_ = busy_;
  const Load load = load_of(slot_.id());
  if (!load.value) return;
  const double others = std::max(0.0, *load.value - ours);
  const Pace::Change change = pace_.others_take(others);
  if (change == Pace::Change::none) return;
  const bool crowded = change == Pace::Change::crowded;
  const std::string why = cat("others keep it ", percent(others), " busy (", load.source, ")");
  slot_.announce(
      {.kind = crowded ? DeviceEvent::paced : DeviceEvent::restored,
       .device = Device(slot_),
       .message = crowded ? cat(slot_.id(), " is paced: ", why, ", so our work takes at most ", percent(pace_.left()),
                                " of its time instead of ", percent(pace_.share()))
                          : cat(slot_.id(), " has room again: ", why, "; our work takes at most ", percent(pace_.left()), " of its time")});
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
  const bool told = std::exchange(pace_told_, false) || pace_.crowded();
  pace_.set_share(share);
  worked_ = busy_ = busy_then_ = {};
  load_seen_ = std::chrono::steady_clock::now();
  if (told && !pace_.limits())
    slot_.announce({.kind = DeviceEvent::restored, .device = Device(slot_), .message = cat(slot_.id(), " is no longer paced")});
}

}  // namespace tidepool::inline v0
