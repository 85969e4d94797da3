// A device by name. It outlives the streams that it opens, and everything else: tensors may be destroyed after main.
#pragma once

#include <tidepool/device.h>
#include <tidepool/memory.h>

#include "device/stream.h"
#include "platform/thread_count.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

class DeviceSlot {
 public:
  using Open = std::function<std::unique_ptr<Backend>()>;
  DeviceSlot(std::string id, Open open) : id_(std::move(id)), open_(std::move(open)) {}

  const std::string& id() const { return id_; }
  std::shared_ptr<Stream> stream();          // opens it when needed; throws DeviceLost while the loss stands
  std::shared_ptr<Stream> stream_if_open();  // null when closed
  void reset();
  // For whoever finds his tensors gone, and need not be the first: what others have made anew meanwhile stays as it is.
  void reset_unless_well();
  void close_if_unused();
  std::uint32_t epoch() const { return epoch_.load(std::memory_order_relaxed); }  // how often it was opened
  void replace_open(Open open);                                                   // for tests: what the next stream is made of

  ThreadCount tensors;               // that live
  std::atomic<std::size_t> peak{0};  // highest reserved of the streams before this one, since the start or reset_peak()
  void announce(DeviceEvent event);  // delivered when the stream's lock is released
  void deliver() noexcept;
  bool awaits_restoring() const { return lost_; }  // lost, closed since then, and not opened again
  const std::atomic<bool>& news() const { return news_; }

 private:
  bool is_well();
  void open_anew();
  void retire();
  void close_current();
  void bury();
  void bury_returned();

  std::string id_;
  Open open_;
  std::mutex mutex_;  // of current_, random_, graveyard_, open_; taken before a stream's
  std::shared_ptr<Stream> current_;
  RandomPlace random_;                              // of the stream before
  std::vector<std::shared_ptr<Stream>> graveyard_;  // closed, with blocks still lent
  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<bool> lost_{false};  // the stream before this one was; told as restored when the next opens
  std::mutex news_mutex_;
  std::vector<DeviceEvent> news_events_;
  std::atomic<bool> news_{false};
};

// Calls the function with the slot's stream, opened and locked. Another thread may close it in between; then once more.
template <class Function>
auto with_stream(DeviceSlot& slot, Function&& function) {
  for (;;) {
    const std::shared_ptr<Stream> stream = slot.stream();
    const StreamLock lock(*stream);
    if (!stream->closed()) return function(*stream);
  }
}

// Opens it if need be; throws DeviceError, or DeviceLost while a loss stands, where it cannot be used.
inline void require_usable(const Device& device) {
  with_stream(device.slot(), [](Stream& stream) { stream.require_alive("open"); });
}

DeviceSlot& slot_for(std::string_view id);  // throws DeviceError for a name that does not exist
std::vector<DeviceSlot*> all_slots();       // those that were ever used
// Each in turn, whatever goes wrong with another; what went wrong first is thrown at the end.
void for_each_slot(const std::function<void(DeviceSlot&)>& function);
void emit(const DeviceEvent& event) noexcept;  // to the listeners

}  // namespace tidepool::inline v0
