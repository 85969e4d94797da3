#include "monitor/watcher.h"

#include <algorithm>
#include <cstring>

namespace tidepool::inline v0::monitor {

namespace {

TraceEvent trace_of(const Event& event) {
  const auto kind = [&] {
    switch (event.kind) {
      case Event::called:
        return TraceEvent::operation;
      case Event::upload:
        return TraceEvent::upload;
      case Event::download:
        return TraceEvent::download;
      case Event::wait:
        return TraceEvent::wait;
      default:
        return TraceEvent::launch;
    }
  };
  return {.kind = kind(),
          .name = event.name,
          .device = event.device,
          .thread = thread_number(),
          .start = event.start,
          .duration = static_cast<std::int64_t>(event.nanoseconds),
          .bytes = event.bytes,
          .count = event.count};
}

}  // namespace

std::uint32_t thread_number() {
  static constinit std::atomic<std::uint32_t> threads{0};
  static constinit thread_local std::uint32_t number = 0;
  if (number == 0) number = threads.fetch_add(1) + 1;
  return number;
}

Watcher& Watcher::only() {
  static Watcher& watcher = *new Watcher;
  return watcher;
}

void Watcher::start(bool every_operation) {
  {
    const std::scoped_lock lock(devices_mutex_);
    for (auto& place : devices_) place.store(nullptr, std::memory_order_release);
    before_ = std::move(made_);
    made_.clear();
    made_.reserve(most_devices);
  }
  {
    const std::scoped_lock lock(looks_mutex_);
    looks_ = {};
  }
  {
    const std::scoped_lock lock(trace_mutex_);
    trace_.clear();
    trace_.reserve(most_traced);
    traced_ = 0;
  }
  look_nanoseconds_ = 0;
  want_times(true, every_operation);
  event_sink.store(this, std::memory_order_release);
}

void Watcher::stop() {
  want_times(false, false);
  EventSink* self = this;
  event_sink.compare_exchange_strong(self, nullptr);
}

// A device's id stays where it is for the life of the process.
DeviceCounters* Watcher::find(const char* device) noexcept {
  for (const auto& place : devices_) {
    DeviceCounters* counters = place.load(std::memory_order_acquire);
    if (!counters) break;
    if (counters->id == device) return counters;
  }
  return found_late(device);
}

// Apart, so that what happens at each event stays small.
DeviceCounters* Watcher::found_late(const char* device) noexcept {
  const std::scoped_lock lock(devices_mutex_);
  for (auto& place : devices_) {
    DeviceCounters* counters = place.load(std::memory_order_acquire);
    if (counters && counters->id == device) return counters;
    if (counters) continue;
    try {
      made_.push_back(std::make_unique<DeviceCounters>(device));
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    place.store(made_.back().get(), std::memory_order_release);
    return made_.back().get();
  }
  return nullptr;
}

void Watcher::on(const Event& event) noexcept {
  if (DeviceCounters* counters = find(event.device)) counters->on(event);
  if (event.start != 0) [[unlikely]]
    trace(trace_of(event));
}

const DeviceCounters* Watcher::counters_of(const char* device) const {
  const DeviceCounters* found = nullptr;
  for_each_device([&](const DeviceCounters& counters) {
    if (std::strcmp(counters.id, device) == 0) found = &counters;
  });
  return found;
}

void Watcher::map(BlockPool& pool, PoolLook& into) const {
  std::size_t blocks = 0;
  pool.for_each_memory([&](const Memory& memory, std::span<const Block> all) {
    if (into.regions.size() == most_regions || blocks + all.size() > most_blocks) {
      into.left_out += memory.bytes;
      return;
    }
    blocks += all.size();
    PoolRegion& region = into.regions.emplace_back(PoolRegion{.bytes = memory.bytes, .blocks = {}});
    for (const Block& block : all) {
      const bool lent = block.handles.load(std::memory_order_relaxed) > 0;
      region.blocks.push_back({.offset = block.offset,
                               .bytes = block.bytes,
                               .tag = lent ? static_cast<std::int32_t>(block.tag) : -1,
                               .holder = lent ? block.holder : ""});
    }
  });
}

void Watcher::look(const char* device, BlockPool& pool) noexcept { look_at(device, pool, nullptr); }

// Without a stream it is one that submits, and so alive. The pool may find out about a loss.
void Watcher::look_at(const char* device, BlockPool& pool, const Stream* stream) noexcept try {
  const std::int64_t start = steady_nanoseconds();
  PoolLook seen{.when = start, .stats = pool.stats(), .regions = {}};
  seen.alive = !stream || stream->alive();
  if (map_wanted_.exchange(false)) {
    seen.mapped = start;
    map(pool, seen);
  }
  const DeviceCounters* counters = find(device);
  for (std::size_t i = 0; i < most_devices; ++i)
    if (counters && devices_[i].load(std::memory_order_acquire) == counters) {
      const std::scoped_lock lock(looks_mutex_);
      if (seen.mapped)
        looks_[i] = std::move(seen);
      else {
        looks_[i].when = seen.when;
        looks_[i].alive = seen.alive;
        looks_[i].stats = seen.stats;
      }
      break;
    }
  look_nanoseconds_.fetch_add(steady_nanoseconds() - start, std::memory_order_relaxed);
} catch (const std::exception&) {  // a device that was lost, or no memory for the copy: the last look stays
}

void Watcher::ask(DeviceSlot& slot, bool with_map) {
  if (with_map) map_wanted_ = true;
  const std::shared_ptr<Stream> stream = slot.stream_if_open();
  if (!stream) return;
  if (!stream->mutex.try_lock()) return want_look();
  if (!stream->closed()) look_at(slot.id().c_str(), stream->pool(), stream.get());
  stream->mutex.unlock();
  if (stream->news().load(std::memory_order_relaxed)) Stream::deliver(slot);
}

PoolLook Watcher::last_look(const char* device) const {
  for (std::size_t i = 0; i < most_devices; ++i) {
    const DeviceCounters* counters = devices_[i].load(std::memory_order_acquire);
    if (!counters || std::strcmp(counters->id, device) != 0) continue;
    const std::scoped_lock lock(looks_mutex_);
    return looks_[i];
  }
  return {};
}

std::int64_t Watcher::looked(const char* device) const {
  for (std::size_t i = 0; i < most_devices; ++i) {
    const DeviceCounters* counters = devices_[i].load(std::memory_order_acquire);
    if (!counters || std::strcmp(counters->id, device) != 0) continue;
    const std::scoped_lock lock(looks_mutex_);
    return looks_[i].when;
  }
  return 0;
}

void Watcher::trace(const TraceEvent& event) {
  const std::scoped_lock lock(trace_mutex_);
  if (trace_.capacity() < most_traced) return;
  if (trace_.size() < most_traced)
    trace_.push_back(event);
  else
    trace_[traced_ % most_traced] = event;
  ++traced_;
}

std::vector<TraceEvent> Watcher::traced() const {
  const std::scoped_lock lock(trace_mutex_);
  return trace_;
}

}  // namespace tidepool::inline v0::monitor
