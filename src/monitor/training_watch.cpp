#include "monitor/training_watch.h"

#include "monitor/monitor.h"

#include <algorithm>

namespace tidepool::inline v0::monitor {

namespace {

constexpr double stretch = 0.005;  // seconds: steps that take less are told together
constexpr double share = 0.003;    // of the time, at most, for reading the loss
constexpr double longest = 1;      // seconds without a new one
std::uint64_t to_nanoseconds(double seconds) { return static_cast<std::uint64_t>(std::max(seconds, 0.0) * 1e9); }

}  // namespace

void TrainingWatch::begin(const RunTraining& training) {
  *this = {};
  if (!watched()) return;
  RunTraining begun = training;
  begun.started = Monitor::only().now();
  every_ = Monitor::only().period();
  Monitor::only().begin_training(begun);
}

void TrainingWatch::add(double seconds, double loader_seconds, std::int64_t rows) {
  Monitor& monitor = Monitor::only();
  TrainingCounts& counts = monitor.training_counts;
  counts.calls.add(1);
  counts.steps.add(1);
  counts.samples.add(static_cast<std::uint64_t>(rows));
  counts.step_nanoseconds.add(to_nanoseconds(seconds));
  if (loader_seconds > 0) counts.loader_nanoseconds.add(to_nanoseconds(loader_seconds));
  since_ += seconds;
  stretch_ += seconds;
  ++stretch_steps_;
  if (stretch_ >= stretch) tell_steps();
}

void TrainingWatch::tell_steps() {
  Monitor::only().figures.add("step_ms", 1e3 * stretch_ / static_cast<double>(stretch_steps_));
  stretch_ = 0;
  stretch_steps_ = 0;
}

void TrainingWatch::progress(double loss_sum, double correct_sum, std::int64_t samples, bool has_accuracy, double seconds) {
  if (epoch_ != epoch_before_ || samples < samples_before_) {  // the sums began anew: another epoch, or after a recovery
    loss_before_ = correct_before_ = 0;
    samples_before_ = 0;
    epoch_before_ = epoch_;
  }
  Monitor& monitor = Monitor::only();
  monitor.training_counts.inside_nanoseconds.add(to_nanoseconds(seconds));
  since_ = 0;
  every_ = std::max(monitor.period(), std::min(seconds / share, longest));
  if (samples == samples_before_) return;
  const auto fresh = static_cast<double>(samples - samples_before_);
  const double loss = (loss_sum - loss_before_) / fresh, accuracy = (correct_sum - correct_before_) / fresh;
  monitor.progress(loss, has_accuracy ? std::optional(std::clamp(accuracy, 0.0, 1.0)) : std::nullopt);
  loss_before_ = loss_sum;
  correct_before_ = correct_sum;
  samples_before_ = samples;
}

double TrainingWatch::waited(const std::string& device) {
  const DeviceCounters* counters = Watcher::only().counters_of(device.c_str());
  return counters ? static_cast<double>(counters->wait_nanoseconds) * 1e-9 : 0;
}

void TrainingWatch::at(std::int64_t epoch, std::int64_t step) {
  epoch_ = epoch;
  if (!watched()) return;
  TrainingCounts& counts = Monitor::only().training_counts;
  counts.epoch.store(epoch, std::memory_order_relaxed);
  counts.step.store(step, std::memory_order_relaxed);
}

void TrainingWatch::epoch(const RunEpoch& epoch) {
  if (!watched()) return;
  since_epoch_ += epoch.seconds;
  if (since_epoch_ < 1e-3)
    left_out_ = epoch;
  else
    keep(epoch);
}

void TrainingWatch::keep(const RunEpoch& epoch) {
  const std::int64_t start = steady_nanoseconds();
  left_out_.reset();
  since_epoch_ = 0;
  RunEpoch ended = epoch;
  ended.time = Monitor::only().now();
  Monitor::only().add_epoch(ended);
  Monitor::only().training_counts.inside_nanoseconds.add(static_cast<std::uint64_t>(steady_nanoseconds() - start));
}

void TrainingWatch::said(const std::string& message) {
  if (watched()) Monitor::only().add_event({.time = Monitor::only().now(), .kind = "message", .device = "", .message = message});
}

void TrainingWatch::batch(std::int64_t batch, std::int64_t batches) {
  if (watched()) Monitor::only().change_batch(batch, batches);
}

void TrainingWatch::end(bool complete) {
  if (!watched()) return;
  if (left_out_) keep(*left_out_);
  if (stretch_steps_ > 0) tell_steps();  // a short fit has a figure too
  Monitor::only().end_training(complete);
}

}  // namespace tidepool::inline v0::monitor
