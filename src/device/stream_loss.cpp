// How a stream comes to its end: by a device that is lost, or by a fault that was asked for.
#include <tidepool/error.h>

#include "device/slot.h"
#include "device/stream.h"
#include "platform/cat.h"

#include <cassert>
#include <thread>

namespace tidepool::inline v0 {

void Stream::lose(const std::string& why) {
  assert(state_ == State::alive && "a device is lost once");
  state_ = State::lost;
  why_lost_ = why;
  pool_.abandon();
  slot_.announce({.kind = DeviceEvent::lost, .device = Device(slot_), .message = cat(slot_.id(), " was lost: ", why)});
}

// The device behind a loss that was asked for is well; it must be done with our work before we let go of it.
void Stream::lose_on_demand(const std::string& why, const char* operation) {
  try {
    backend_->wait(backend_->submit(nullptr), deadline_);
  } catch (const DeviceError&) {  // a real one came first
  }
  lose(why);
  gone(operation);
}

void Stream::meet_fault(FaultPoint point, const char* operation) {
  switch (fault_at(point)) {
    case Fault::device_lost:
      lose_on_demand("a fault that was asked for", operation);
    case Fault::hang:
      std::this_thread::sleep_for(deadline_);
      lose_on_demand(cat("the device did not answer for ", std::chrono::duration<double>(deadline_).count(), " s, as was asked for"),
                     operation);
    default:
      return;
  }
}

void Stream::gone(const char* operation) {
  if (state_ == State::lost)
    throw DeviceLost(operation, cat("device ", slot_.id(), " was lost (", why_lost_, "); call reset(device) and make its tensors again"));
  throw DeviceLost(operation, cat("the tensor lived on ", slot_.id(), " before it was reset or closed and is gone; make it again"));
}

}  // namespace tidepool::inline v0
