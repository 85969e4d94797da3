// The one sink of events while somebody watches: it counts, keeps a bounded trace, and copies the pool's figures when it is asked to.
#pragma once

#include "device/slot.h"
#include "monitor/counters.h"
#include "monitor/record.h"
#include "monitor/trace.h"
#include "platform/mutex.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace tidepool::inline v0::monitor {

// A device's pool as it was when it was last looked at.
struct PoolLook {
  std::int64_t when = 0;  // nanoseconds of the steady clock; 0: never
  bool alive = true;      // the device, then
  PoolStats stats;
  std::int64_t mapped = 0;  // when a map was last asked for, likewise
  std::vector<PoolRegion> regions;
  std::size_t left_out = 0;
};

class Watcher final : public EventSink {
 public:
  static Watcher& only();  // never destroyed

  void start(bool every_operation);  // counts from 0
  void stop();

  void on(const Event& event) noexcept override;
  void look(const char* device, BlockPool& pool) noexcept override;

  // Looks at an open device's pool at once where nobody has it locked, otherwise when it next submits.
  void ask(DeviceSlot& slot, bool with_map);
  PoolLook last_look(const char* device) const;
  std::int64_t looked(const char* device) const;  // when that was

  template <class Visit>
  void for_each_device(Visit&& visit) const {
    for (const auto& place : devices_)
      if (const DeviceCounters* counters = place.load(std::memory_order_acquire)) visit(*counters);
  }
  const DeviceCounters* counters_of(const char* device) const;

  void trace(const TraceEvent& event);
  std::vector<TraceEvent> traced() const;
  double look_seconds() const { return static_cast<double>(look_nanoseconds_.load(std::memory_order_relaxed)) * 1e-9; }

 private:
  static constexpr std::size_t most_devices = 16, most_traced = 16'384, most_regions = 256, most_blocks = 4096;
  DeviceCounters* find(const char* device) noexcept;
  DeviceCounters* found_late(const char* device) noexcept;  // or made now
  void look_at(const char* device, BlockPool& pool, const Stream* stream) noexcept;
  void map(BlockPool& pool, PoolLook& into) const;

  std::array<std::atomic<DeviceCounters*>, most_devices> devices_{};
  mutable Mutex devices_mutex_;
  std::vector<std::unique_ptr<DeviceCounters>> made_, before_;  // those of the last time may still be written to for a moment

  mutable Mutex looks_mutex_;
  std::array<PoolLook, most_devices> looks_;
  std::atomic<bool> map_wanted_{false};
  std::atomic<std::int64_t> look_nanoseconds_{0};

  mutable Mutex trace_mutex_;
  std::vector<TraceEvent> trace_;
  std::size_t traced_ = 0;  // ever
};

std::uint32_t thread_number();  // of the calling one, from 1

}  // namespace tidepool::inline v0::monitor
