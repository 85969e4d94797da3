#include "monitor/monitor.h"

#include "device/settings.h"
#include "device/slot.h"
#include "platform/thread_clock.h"

#include <ctime>

namespace tidepool::inline v0::monitor {

constinit std::atomic<bool> watching{false};

namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

const char* name_of(DeviceEvent::Kind kind) {
  static constexpr const char* names[] = {"selected", "fallback", "lost", "restored", "slow", "paced"};
  return names[kind];
}

}  // namespace

Monitor& Monitor::only() {
  static Monitor& monitor = *new Monitor;
  static const struct Ending {  // no thread outlives main
    ~Ending() { monitor.disable(); }
  } ending;
  return monitor;
}

void Monitor::enable(const Options& options) {
  const std::scoped_lock switching(switch_);
  if (enabled()) return;
  static const bool listening = [] {
    on_device_event([](const DeviceEvent& event) {
      only().add_event({.time = only().now(), .kind = name_of(event.kind), .device = event.device.id(), .message = event.message});
    });
    return true;
  }();
  static_cast<void>(listening);
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = false;
    started_ = utc_now();
    samples_.clear();
    anomalies_.clear();
    events_.clear();
    totals_ = {};
    watch_.restart();
    training_.reset();
    epochs_.clear();
    loss_.reset();
    accuracy_.reset();
    seen_.clear();
    device_.clear();
    load_read_ = -1;
    steps_seen_ = step_nanoseconds_seen_ = loader_seen_ = samples_seen_ = 0;
    sampled_ = 0;
  }
  figures.clear();
  for (Count* count : {&training_counts.steps, &training_counts.samples, &training_counts.step_nanoseconds,
                       &training_counts.loader_nanoseconds, &training_counts.inside_nanoseconds, &training_counts.calls})
    count->set(0);
  background_ = stopped_ = 0;
  period_ = options.period;
  start_ = steady_nanoseconds();
  Watcher::only().start(options.every_operation);
  watching = true;
  take_sample();
  thread_ = std::thread([this] { run(); });
}

void Monitor::disable() {
  const std::scoped_lock switching(switch_);
  if (!enabled()) return;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
  take_sample();
  watching = false;
  stopped_ = steady_nanoseconds();
  Watcher::only().stop();
}

void Monitor::run() {
  std::unique_lock lock(mutex_);
  const std::chrono::duration<double> between(period());
  while (!stopping_) {
    if (wake_.wait_for(lock, between, [this] { return stopping_; })) return;
    lock.unlock();
    take_sample();
    background_ = thread_nanoseconds();
    lock.lock();
  }
}

void Monitor::add_event(RunEvent event) {
  if (!enabled()) return;
  const std::scoped_lock lock(mutex_);
  // What a device's event says, the trainer says as well: once is enough.
  for (std::size_t i = events_.size(); i-- > 0 && i + 4 >= events_.size();)
    if (event.kind == "message" && events_[i].message == event.message) return;
  if (event.kind != "message") ++totals_.events[{event.kind, event.device}];
  events_.push(std::move(event));
}

void Monitor::begin_training(const RunTraining& training) {
  const std::scoped_lock lock(mutex_);
  training_ = training;
  epochs_.clear();
  training_counts.epoch = training.epoch;
  training_counts.step = training.step;
}

void Monitor::change_batch(std::int64_t batch, std::int64_t batches) {
  const std::scoped_lock lock(mutex_);
  if (!training_) return;
  training_->batch = batch;
  training_->batches = batches;
  training_->extra_steps = training_counts.step - training_counts.epoch * batches;
  training_->started = now();  // what was before says nothing of the steps to come
}

void Monitor::progress(std::optional<double> loss, std::optional<double> accuracy) {
  const std::scoped_lock lock(mutex_);
  loss_ = loss;
  accuracy_ = accuracy;
}

void Monitor::add_epoch(const RunEpoch& epoch) {
  const std::scoped_lock lock(mutex_);
  epochs_.push(epoch);
}

void Monitor::end_training(bool complete) {
  const std::scoped_lock lock(mutex_);
  if (!training_) return;
  training_->finished = complete;
  training_->ended = true;
}

std::vector<Sample> Monitor::samples() const {
  const std::scoped_lock lock(mutex_);
  return samples_.all();
}

std::vector<Anomaly> Monitor::anomalies() const {
  const std::scoped_lock lock(mutex_);
  return anomalies_.all();
}

std::uint32_t Monitor::number_of_zone(std::string_view name) {
  constexpr std::size_t most = 1024;
  const std::scoped_lock lock(mutex_);
  auto found = zones_.find(name);
  if (found == zones_.end()) {
    if (zones_.size() == most) return 1;  // the first name stands for what is too much
    if (zones_.empty()) {
      zone_names_.push_back(&zones_.emplace("(others)", 1).first->first);
    }
    found = zones_.emplace(std::string(name), static_cast<std::uint32_t>(zones_.size() + 1)).first;
    zone_names_.push_back(&found->first);
  }
  return found->second;
}

const char* Monitor::name_of_zone(std::uint32_t number) const {
  const std::scoped_lock lock(mutex_);
  return zone_names_[number - 1]->c_str();
}

}  // namespace tidepool::inline v0::monitor
