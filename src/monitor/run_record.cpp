// A run's record and snapshots, put together from everything that is kept.
#include "backend/cpu/cpu_backend.h"
#include "device/settings.h"
#include "monitor/advice.h"
#include "monitor/forecast.h"
#include "monitor/monitor.h"
#include "platform/system.h"

#include <algorithm>
#include <limits>

namespace tidepool::inline v0::monitor {

namespace {

RunDevice describe(const std::string& id) {
  RunDevice device{.id = id, .name = "", .kind = "", .driver = ""};
  if (id.empty()) return device;
  const std::shared_ptr<Stream> stream = slot_for(id).stream_if_open();
  if (!stream) return device;
  const BackendInfo& info = stream->info();
  device.name = info.name;
  device.kind = info.kind;
  device.driver = info.driver;
  device.memory_total = info.memory_total;
  return device;
}

RunSettings settings_now() {
  const Settings now = current_settings();
  return {.threads = cpu_threads(),
          .max_commands = now.max_commands,
          .max_cached_per_class = now.max_cached_per_class,
          .memory_limit = now.memory_limit,
          .cache_limit = now.cache_limit};
}

// Listing all devices opens Vulkan, which only who asks for advice has asked for.
std::vector<DeviceInfo> known_devices(bool look) {
  static std::mutex& mutex = *new std::mutex;
  static std::vector<DeviceInfo>& known = *new std::vector<DeviceInfo>;
  const std::scoped_lock lock(mutex);
  if (look && known.empty()) known = devices();
  return known;
}

PoolMap map_of(const std::string& id, std::int64_t start) {
  PoolLook look = Watcher::only().last_look(id.c_str());
  PoolMap map{.device = id,
              .time = std::max(0.0, static_cast<double>(look.mapped - start) * 1e-9),
              .regions = std::move(look.regions),
              .left_out = look.left_out};
  std::ranges::stable_sort(map.regions, [](const PoolRegion& a, const PoolRegion& b) { return a.bytes > b.bytes; });
  return map;
}

// What one event and one reading of the clock cost here, in seconds.
struct Prices {
  double event = 0, clock = 0;
};
Prices measured_prices() {
  constexpr int rounds = 2000, times = 20;
  const auto scratch = std::make_unique<Watcher>();
  EventSink* volatile sink = scratch.get();  // called as the waist calls it
  const auto time = [](auto&& work) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();  // the others were held up, or met memory for the first time
    for (int k = 0; k < times; ++k) {
      const std::int64_t start = steady_nanoseconds();
      for (int i = 0; i < rounds; ++i) work();
      least = std::min(least, steady_nanoseconds() - start);
    }
    return static_cast<double>(least) * 1e-9 / rounds;
  };
  Prices prices;
  const Event run{.kind = Event::plan_run, .device = "", .count = 10, .nanoseconds = 100};
  const Event launch{.kind = Event::launch, .device = "", .name = "a kernel"};
  prices.event = time([&] {
                   sink->on(run);
                   sink->on(launch);
                 }) /
                 2;
  std::int64_t sum = 0;
  prices.clock = time([&] { sum += steady_nanoseconds(); });
  return sum == 0 ? Prices{} : prices;
}

}  // namespace

Cost Monitor::cost() const {
  static const Prices prices = measured_prices();
  std::uint64_t events = training_counts.calls, clocks = 0;
  Watcher::only().for_each_device([&](const DeviceCounters& counters) {
    events += counters.events();
    clocks += counters.clocks;
  });
  const std::int64_t end = stopped_.load() ? stopped_.load() : steady_nanoseconds();
  return {.seconds = static_cast<double>(events) * prices.event + static_cast<double>(clocks) * prices.clock +
                     static_cast<double>(training_counts.inside_nanoseconds) * 1e-9 + Watcher::only().look_seconds(),
          .background_seconds = static_cast<double>(background_.load()) * 1e-9,
          .total = static_cast<double>(end - start_.load()) * 1e-9};
}

RunRecord Monitor::record(bool with_pool) {
  RunRecord run;
  run.version = version();
  run.settings = settings_now();
  run.running = enabled();
  run.cost = cost();
  run.time = run.cost.total;
  std::string id;
  {
    const std::scoped_lock lock(mutex_);
    run.started = started_;
    run.training = training_;
    run.samples = samples_.all();
    run.epochs = epochs_.all();
    run.anomalies = anomalies_.all();
    run.events = events_.all();
    run.totals = totals_;
    id = device_;
  }
  if (run.training) {
    run.training->epoch = training_counts.epoch.load(std::memory_order_relaxed);
    run.training->step = training_counts.step.load(std::memory_order_relaxed);
  }
  run.device = describe(id);
  run.kernels = kernel_rows(nullptr);
  run.operations = operation_rows(nullptr);
  run.figures = figures.summaries();
  if (with_pool && !id.empty()) run.pool = map_of(id, start());
  run.forecast = forecast_of(run);
  run.advice = advise(run, {.cores = usable_cores(), .devices = known_devices(false)});
  return run;
}

std::vector<Advice> advice() {
  known_devices(true);
  return Monitor::only().record(false).advice;
}

RunRecord run_record(bool with_pool) { return Monitor::only().record(with_pool); }

Snapshot Monitor::snapshot_of(DeviceSlot& slot) {
  Snapshot snapshot;
  snapshot.time = now();
  snapshot.device = slot.id();
  Watcher::only().ask(slot, false);
  const PoolLook look = Watcher::only().last_look(slot.id().c_str());
  snapshot.memory = {.tensors = slot.tensors.sum(),
                     .live_bytes = look.stats.live,
                     .reserved_bytes = look.stats.reserved,
                     .cached_bytes = look.stats.cached(),
                     .peak_bytes = std::max(look.stats.peak, slot.peak.load()),
                     .allocations = look.stats.allocations,
                     .reuses = look.stats.reuses,
                     .evictions = look.stats.evictions,
                     .limit = current_settings().memory_limit,
                     .reliable = look.alive};
  for (std::size_t i = 0; i < memory_tags; ++i) snapshot.memory_by_tag.push_back({memory_tag_names()[i], look.stats.by_tag[i]});
  if (const DeviceCounters* counters = Watcher::only().counters_of(slot.id().c_str())) {
    snapshot.compute_ms = static_cast<double>(counters->compute_nanoseconds) * 1e-6;
    snapshot.transfer_ms = static_cast<double>(counters->transfer_nanoseconds) * 1e-6;
    snapshot.transfer_bytes = counters->transfer_bytes;
    snapshot.wait_ms = static_cast<double>(counters->wait_nanoseconds) * 1e-6;
    snapshot.launches = counters->launches + counters->planned_launches;
    snapshot.flushes = counters->flushes;
    snapshot.plan_runs = counters->plan_runs;
    snapshot.transfers = counters->uploads + counters->downloads;
  }
  {
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = samples_.size(); i-- > 0;)
      if (const Sample& sample = samples_[i]; sample.device == slot.id()) {
        snapshot.utilisation = sample.utilisation;
        snapshot.step_ms = sample.step_ms;
        break;
      }
    if (device_ == slot.id()) {
      snapshot.system_utilisation = load_;
      snapshot.system_utilisation_source = load_source_;
    }
  }
  if (snapshot.utilisation) snapshot.utilisation_source = "the times of our launches";
  snapshot.kernels = kernel_rows(slot.id().c_str());
  snapshot.operations = operation_rows(slot.id().c_str());
  return snapshot;
}

}  // namespace tidepool::inline v0::monitor
