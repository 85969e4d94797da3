#include "device/slot.h"

#include <tidepool/error.h>

#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

std::shared_ptr<Stream> DeviceSlot::stream() {
  const std::scoped_lock lock(mutex_);
  if (!current_) {
    current_ = std::make_shared<Stream>(*this, open_(), random_);
    epoch_.fetch_add(1, std::memory_order_relaxed);
    if (lost_.exchange(false))
      announce({.kind = DeviceEvent::restored, .device = Device(*this), .message = cat(id_, " was made anew after its loss")});
  }
  return current_;
}

std::shared_ptr<Stream> DeviceSlot::stream_if_open() {
  const std::scoped_lock lock(mutex_);
  return current_;
}

void DeviceSlot::replace_open(Open open) {
  const std::scoped_lock lock(mutex_);
  open_ = std::move(open);
}

// Its figures go with it, but for the peak. A loss may be found only now; it was told all the same.
void DeviceSlot::close_current() {
  peak = std::max(peak.load(), current_->figures().peak);
  random_ = current_->close();
  if (!current_->why_lost().empty()) lost_ = true;
}

// Blocks that are still lent point at the stream; it is kept until they have come back. No StreamLock here: it would call
// the listeners, which may use this device, while our own lock is held.
void DeviceSlot::retire() {
  if (!current_) return;
  {
    const std::scoped_lock lock(current_->mutex);
    close_current();
  }
  bury();
}

void DeviceSlot::bury() {
  graveyard_.push_back(std::move(current_));
  current_ = nullptr;
  bury_returned();
}

void DeviceSlot::bury_returned() {
  std::erase_if(graveyard_, [](const std::shared_ptr<Stream>& stream) {
    const std::scoped_lock lock(stream->mutex);
    return stream->pool().all_returned();
  });
}

void DeviceSlot::reset() {
  {
    const std::scoped_lock lock(mutex_);
    retire();
  }
  open_anew();
}

void DeviceSlot::reset_unless_well() {
  {
    const std::scoped_lock lock(mutex_);
    if (is_well()) return;
    retire();
  }
  open_anew();
}

bool DeviceSlot::is_well() {
  if (!current_) return false;
  const std::scoped_lock lock(current_->mutex);
  return current_->alive();
}

void DeviceSlot::open_anew() {
  deliver();
  stream();  // now, so that a device that is still broken says so here
  deliver();
}

void DeviceSlot::close_if_unused() {
  std::unique_lock lock(mutex_);
  bury_returned();
  if (!current_) return;
  {
    const std::scoped_lock stream_lock(current_->mutex);  // for looking and closing: nobody may take a block in between
    if (!current_->alive() || current_->captures > 0 || !current_->pool().all_returned()) return;
    close_current();
  }
  bury();
  lock.unlock();  // listeners may use this device
  deliver();
}

void DeviceSlot::announce(DeviceEvent event) {
  const std::scoped_lock lock(news_mutex_);
  news_events_.push_back(std::move(event));
  news_.store(true, std::memory_order_relaxed);
}

void DeviceSlot::deliver() noexcept {
  std::vector<DeviceEvent> events;
  {
    const std::scoped_lock lock(news_mutex_);
    events.swap(news_events_);
    news_.store(false, std::memory_order_relaxed);
  }
  for (const DeviceEvent& event : events) emit(event);
}

}  // namespace tidepool::inline v0
