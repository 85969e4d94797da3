// How a sample comes about: the counters' totals, what the pools looked like, and what is new in training.
#include "backend/cpu/cpu_backend.h"
#include "device/list.h"
#include "device/loads.h"
#include "device/settings.h"
#include "monitor/monitor.h"

#include <algorithm>
#include <cstring>

namespace tidepool::inline v0::monitor {

namespace {

std::uint64_t work_of(const DeviceCounters& counters) { return counters.launches + counters.planned_launches; }

// The one with this id, without looking for others: a program on the CPU must not open Vulkan for our sake.
std::optional<ListedDevice> listed(const std::string& id) {
  if (id == "cpu") return ListedDevice{.id = id, .info = cpu_info(), .place = {}};
  if (!id.starts_with("vulkan")) return std::nullopt;
  for (ListedDevice& device : list_devices())
    if (device.id == id) return std::move(device);
  return std::nullopt;
}

}  // namespace

// With the monitor's lock held, as all below. Where none worked, the one of the sample before, or the default one.
DeviceSlot* Monitor::busiest() {
  const char* found = nullptr;
  std::uint64_t most = 0;
  Watcher::only().for_each_device([&](const DeviceCounters& counters) {
    Seen& seen = seen_[counters.id];
    const std::uint64_t work = work_of(counters);
    if (work - seen.launches > most) {
      most = work - seen.launches;
      found = counters.id;
    }
    seen.launches = work;
  });
  if (!found && !device_.empty()) found = device_.c_str();
  return found ? &slot_for(found) : &Device().slot();
}

// Once a second: it is a file or more to read.
void Monitor::read_load(DeviceSlot& slot) {
  const double time = now();
  if (load_read_ >= 0 && time - load_read_ < 1 && device_ == slot.id()) return;
  load_read_ = time;
  load_.reset();
  load_source_.clear();
  if (const std::optional<ListedDevice> device = listed(slot.id())) {
    const Load load = load_of(*device);
    load_ = load.value;
    load_source_ = load.source;
  }
}

Sample Monitor::sample_of(DeviceSlot& slot) {
  Sample sample;
  sample.time = now();
  sample.device = slot.id();
  const PoolLook look = Watcher::only().last_look(slot.id().c_str());
  sample.tensors = slot.tensors.sum();
  sample.live = look.stats.live;
  sample.reserved = look.stats.reserved;
  sample.cached = look.stats.cached();
  sample.peak = look.stats.peak;
  sample.limit = current_settings().memory_limit;
  sample.by_tag.assign(look.stats.by_tag.begin(), look.stats.by_tag.end());
  Seen& seen = seen_[slot.id()];
  if (const DeviceCounters* counters = Watcher::only().counters_of(slot.id().c_str())) {
    sample.launches = work_of(*counters);
    sample.flushes = counters->flushes;
    sample.plan_runs = counters->plan_runs;
    sample.allocations = counters->allocations;
    sample.reuses = counters->reuses;
    sample.evictions = counters->evictions;
    sample.transfers = counters->uploads + counters->downloads;
    sample.transfer_bytes = counters->transfer_bytes;
    const std::uint64_t compute = counters->compute_nanoseconds;
    sample.compute_ms = static_cast<double>(compute) * 1e-6;
    sample.transfer_ms = static_cast<double>(counters->transfer_nanoseconds) * 1e-6;
    sample.wait_ms = static_cast<double>(counters->wait_nanoseconds) * 1e-6;
    if (!seen.compute.empty() && (compute > 0 || sample.launches == 0))
      if (const auto [then, done] = seen.compute[0]; sample.time > then)
        sample.utilisation = std::clamp(static_cast<double>(compute - done) * 1e-9 / (sample.time - then), 0.0, 1.0);
    seen.compute.push({sample.time, compute});
  }
  sample.system_utilisation = load_;
  return sample;
}

void Monitor::take_sample() {
  const std::scoped_lock one_at_a_time(sampling_);
  DeviceSlot* slot = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    slot = busiest();
    read_load(*slot);
  }
  // Ten times a second the figures, once a second who holds what.
  const PoolLook before = Watcher::only().last_look(slot->id().c_str());
  Watcher::only().ask(*slot, steady_nanoseconds() - before.mapped > 1'000'000'000);
  // Whoever has the device locked looks when he next submits; a moment's patience gets that into this sample.
  for (int i = 0; i < 20 && Watcher::only().looked(slot->id().c_str()) == before.when && slot->stream_if_open(); ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  const std::scoped_lock lock(mutex_);
  Sample sample = sample_of(*slot);
  device_ = sample.device;
  const TrainingCounts& counts = training_counts;
  const std::uint64_t steps = counts.steps, nanoseconds = counts.step_nanoseconds, loader = counts.loader_nanoseconds,
                      samples = counts.samples;
  sample.epoch = counts.epoch.load(std::memory_order_relaxed);
  sample.steps = static_cast<std::int64_t>(steps);
  if (steps > steps_seen_) {
    const auto fresh = static_cast<double>(steps - steps_seen_);
    sample.step_ms = static_cast<double>(nanoseconds - step_nanoseconds_seen_) * 1e-6 / fresh;
    sample.loader_ms = static_cast<double>(loader - loader_seen_) * 1e-6 / fresh;
    if (sample.time > sampled_) sample.samples_per_second = static_cast<double>(samples - samples_seen_) / (sample.time - sampled_);
  }
  steps_seen_ = steps;
  step_nanoseconds_seen_ = nanoseconds;
  loader_seen_ = loader;
  samples_seen_ = samples;
  sampled_ = sample.time;
  sample.loss = std::exchange(loss_, std::nullopt);
  sample.accuracy = std::exchange(accuracy_, std::nullopt);
  for (Anomaly& anomaly : watch_.add(sample)) {
    ++totals_.anomalies[anomaly.kind];
    anomalies_.push(std::move(anomaly));
  }
  samples_.push(std::move(sample));
}

}  // namespace tidepool::inline v0::monitor
