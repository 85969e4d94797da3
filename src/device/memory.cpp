#include <tidepool/memory.h>

#include <tidepool/error.h>

#include "device/capture.h"
#include "device/fused_kernel.h"
#include "device/made_kernel.h"
#include "device/settings.h"
#include "device/slot.h"

#include <algorithm>
#include <exception>

namespace tidepool::inline v0 {

MemoryStats memory() { return memory(Device()); }

MemoryStats memory(const Device& device) {
  DeviceSlot& slot = device.slot();
  MemoryStats stats;
  stats.tensors = slot.tensors.sum();
  stats.limit = current_settings().memory_limit;
  stats.peak_bytes = slot.peak;
  const auto stream = slot.stream_if_open();
  if (!stream) return stats;
  const StreamLock lock(*stream);
  const PoolStats pool = stream->figures();
  stats.live_bytes = pool.live;
  stats.reserved_bytes = pool.reserved;
  stats.cached_bytes = pool.cached();
  stats.peak_bytes = std::max(stats.peak_bytes, pool.peak);
  stats.allocations = pool.allocations;
  stats.reuses = pool.reuses;
  stats.evictions = pool.evictions;
  stats.reliable = stream->alive();
  return stats;
}

void reset_peak() {
  for (DeviceSlot* slot : all_slots()) {
    slot->peak = 0;
    if (const auto stream = slot->stream_if_open()) {
      const StreamLock lock(*stream);
      stream->pool().reset_peak();
    }
  }
}

namespace {

// A wrong value that its work met is told when all is done.
void clean(DeviceSlot& slot) {
  std::exception_ptr complaint;
  if (const auto stream = slot.stream_if_open()) {
    const StreamLock lock(*stream);
    if (!stream->alive()) return;
    try {
      stream->sync();
    } catch (const ArgumentError&) {
      complaint = std::current_exception();
    }
    stream->drop_plans();
    stream->pool().evict_all();
  }
  slot.close_if_unused();
  if (complaint) std::rethrow_exception(complaint);
}

}  // namespace

void cleanup() {
  Capture::refuse("cleanup");
  forget_fused_kernels();
  forget_made_kernels(0);
  for_each_slot(clean);
}

}  // namespace tidepool::inline v0
