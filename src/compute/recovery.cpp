// A device may be lost again while work is brought back from a loss.
#include <tidepool/error.h>

#include "compute/computing.h"
#include "device/next_device.h"
#include "device/slot.h"
#include "platform/cat.h"
#include "platform/log.h"

#include <algorithm>
#include <optional>

namespace tidepool::inline v0 {

namespace {
bool is_well(const Device& device) {
  const std::shared_ptr<Stream> stream = device.slot().stream_if_open();
  if (!stream) return false;
  const StreamLock lock(*stream);
  return stream->alive();
}
}  // namespace

void Compute::Inner::over_losses(const std::function<void()>& work, const std::function<std::int64_t()>& position) {
  for (std::string lost;;) {
    try {
      with_stream(device_.slot(), [&](Stream& stream) {
        epoch_ = device_.slot().epoch();
        stream.require_alive(operation_);
      });
      if (lost.empty() && lineage_.any_gone()) {  // and somebody else has made it anew
        ++recoveries_;
        restore();
      } else if (!lost.empty()) {
        restore();
      }
      return work();
    } catch (const DeviceLost& error) {
      if (options_.max_recoveries == 0 || !is_gone()) throw;  // or it is a tensor from before some earlier loss
      lost = loss_text(device_, error);
    }
    recover(lost, position());
  }
}

// Whether what we had there is gone: it is lost, or somebody has made it anew.
bool Compute::Inner::is_gone() { return !is_well(device_) || device_.slot().epoch() != epoch_; }

void Compute::Inner::recover(const std::string& why, std::int64_t position) {
  fruitless_ = position > furthest_ ? 1 : fruitless_ + 1;
  furthest_ = std::max(furthest_, position);
  if (fruitless_ > options_.max_recoveries)
    throw DeviceLost(operation_, cat("lost ", fruitless_, " times in a row at item ", furthest_, " or before; last: ", why));
  ++recoveries_;
  for (auto& side : staged_) side.clear();
  const Device lost = device_;
  std::string failed;
  const std::optional<Device> next = device_to_go_on_with(lost, fruitless_, failed);
  if (!next) throw DeviceLost(operation_, cat(why, "; it cannot be made anew: ", failed));
  moved_ |= !(*next == lost);
  device_ = *next;
  warn(cat(operation_, ": ", why, "; going on from item ", position, " on ", device_.id(), device_ == lost ? ", made anew" : ""));
}

void Compute::Inner::restore() {
  if (options_.on_recovery) options_.on_recovery();
  lineage_.restore(device_);
}

}  // namespace tidepool::inline v0
