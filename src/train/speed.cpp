#include "train/training.h"

#include "device/next_device.h"
#include "device/slot.h"
#include "monitor/wording.h"
#include "platform/cat.h"

#include <utility>

namespace tidepool::inline v0 {

namespace {

constexpr double stretch = 0.02;         // seconds: long enough that a pause of the host does not matter
constexpr double between_warnings = 60;  // seconds: beside other programs it may come and go many times

}  // namespace

// Steps are timed in stretches, on the host: it waits for a device that has enough to do. Between steps, an epoch's end included: whoever
// moves takes a snapshot.
void Training::watch_speed() {
  if (speed_.seconds < stretch) return;
  const double each = std::exchange(speed_.seconds, 0) / static_cast<double>(std::exchange(speed_.samples, 0));
  const Device device = steps_.device();
  // After a move: the first stretches have the plans in them.
  if (speed_.left && ++speed_.stretches == 4 && each > speed_.seconds_there) {
    speed_.stay = true;
    return move_to(*std::exchange(speed_.left, std::nullopt), cat(device.id(), " is slower still"));
  }
  const Slowness& s = speed_.slowness;
  switch (speed_.slowness.add(each)) {
    case Slowness::Change::slower: {
      const std::string message = cat(device.id(), " has become slow: a sample takes ", monitor::readable_ms(1e3 * s.now()), ", ",
                                      monitor::three_digits(s.now() / s.usual()), " times what it did");
      emit({.kind = DeviceEvent::slow, .device = device, .message = message});
      const bool warn = speed_.since_warning >= between_warnings;
      if (warn) speed_.since_warning = 0;
      announce(message, warn ? LogLevel::warn : LogLevel::info);
      if (options_.leave_slow_device && !speed_.stay) leave_slow_device();
      return;
    }
    case Slowness::Change::normal: {
      const std::string message =
          cat(device.id(), " is about as fast again as it was: a sample takes ", monitor::readable_ms(1e3 * s.now()));
      emit({.kind = DeviceEvent::restored, .device = device, .message = message});
      announce(message);
      return;
    }
    case Slowness::Change::none:
      return;
  }
}

void Training::leave_slow_device() {
  const Device slow = steps_.device();
  std::string failed;
  const std::optional<Device> next = device_after(slow, failed);
  speed_.stay = !next;
  if (!next) return;
  speed_.left = slow;
  speed_.seconds_there = speed_.slowness.now();
  speed_.stretches = 0;
  move_to(*next, cat(slow.id(), " has become slow"));
}

void Training::move_to(const Device& device, const std::string& why) {
  take_snapshot();
  fall_back(steps_.device(), device, why);
  announce(cat("going on with step ", now_.step, " on ", device.id(), ": ", why));
  remake_on(device);
  restore(kept_);
}

}  // namespace tidepool::inline v0
