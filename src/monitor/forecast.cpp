#include "monitor/forecast.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "monitor/statistics.h"
#include "monitor/wording.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

std::string interval_text(const Expectation& e) { return cat(" (", readable_seconds(e.low), " to ", readable_seconds(e.high), ")"); }

// --- memory ---

constexpr std::size_t looked_at = 300;  // samples: half a minute
constexpr std::size_t least_samples = 50;
constexpr double least_rise = 64 << 10;  // bytes

struct MemorySeen {
  std::vector<double> time, live;
};

// Of the device that works now, under the limit that holds now.
MemorySeen memory_of(const std::vector<Sample>& samples) {
  MemorySeen memory;
  for (const Sample& sample : samples)
    if (sample.device == samples.back().device && sample.limit == samples.back().limit) {
      memory.time.push_back(sample.time);
      memory.live.push_back(static_cast<double>(sample.live));
    }
  return memory;
}

// Up in every quarter, and in none by more than half of it all: no stair, and nothing that is about to end.
bool rises_evenly(std::span<const double> values) {
  const std::size_t quarter = values.size() / 5;
  double levels[5];
  for (std::size_t i = 0; i < 5; ++i) levels[i] = median(values.subspan(i * quarter, quarter));
  const double rise = levels[4] - levels[0];
  for (std::size_t i = 1; i < 5; ++i)
    if (levels[i] - levels[i - 1] < 0.1 * rise || levels[i] - levels[i - 1] > 0.5 * rise) return false;
  return true;
}

std::optional<Expectation> memory_full(const RunRecord& run) {
  if (run.samples.empty() || run.samples.back().limit == 0) return std::nullopt;
  const MemorySeen memory = memory_of(run.samples);
  const std::size_t count = std::min(memory.live.size(), looked_at), older = memory.live.size() - count;
  if (count < least_samples) return std::nullopt;
  const auto time = std::span(memory.time).last(count), live = std::span(memory.live).last(count);
  const double now = run.samples.back().time, limit = static_cast<double>(run.samples.back().limit);
  if (live.back() - live.front() < 0.5 * least_rise && live.back() < limit) return std::nullopt;  // nearly always
  const std::optional<Trend> trend = trend_of(time, live);
  if (!trend || trend->low <= 0 || !rises_evenly(live)) return std::nullopt;
  const double rise = trend->slope * (now - time.front());
  if (rise < std::max({least_rise, 0.01 * median(live), 0.002 * limit})) return std::nullopt;
  // A tooth of a saw is growth, too, but not beyond the last one.
  if (median(live.last(5)) < percentile(std::span(memory.live).first(older), 0.98)) return std::nullopt;
  std::vector<double> above;
  for (std::size_t i = 0; i < count; ++i) above.push_back(live[i] - trend->at(time[i]));
  const double left = std::max(0.0, limit - trend->at(now) - percentile(above, 0.95));
  Expectation e;
  e.seconds = left / trend->slope;
  e.low = std::min(0.9 * e.seconds, left / trend->high);
  e.high = std::max(1.1 * e.seconds, std::min(left / trend->low, 10 * e.seconds));
  e.message = cat("live memory grows by ", readable_bytes_of(60 * trend->slope), " a minute and reaches the limit of ",
                  readable_bytes_of(limit), " in about ", readable_seconds(e.seconds), interval_text(e));
  return e;
}

// --- the end of training ---

// Work is counted in steps; what an epoch takes besides, above all evaluation, counts as so many of them.
struct Progress {
  std::vector<double> time, work;
};

struct Stretch {
  double work = 0, seconds = 0;
  double pace() const { return seconds / work; }
};

constexpr std::size_t most_stretches = 16;
constexpr double unknown_overhead = 0.05;  // of an epoch's steps, until one is over

std::optional<double> overhead_in_steps(const RunRecord& run) {
  const RunTraining& training = *run.training;
  std::vector<double> all;
  for (std::size_t i = run.epochs.size() > 32 ? run.epochs.size() - 32 : 0; i < run.epochs.size(); ++i) {
    const RunEpoch& epoch = run.epochs[i];
    if (epoch.time < training.started || epoch.samples_per_second <= 0 || training.samples <= 0) continue;
    const double trained = static_cast<double>(training.samples) / epoch.samples_per_second;
    if (trained > 0) all.push_back(std::max(0.0, epoch.seconds - trained) / trained * static_cast<double>(training.batches));
  }
  if (all.empty()) return std::nullopt;
  return median(all);
}

Progress progress_of(const RunRecord& run, double overhead) {
  Progress progress;
  for (const Sample& sample : run.samples) {
    if (sample.time < run.training->started || sample.steps == 0) continue;
    const double work = static_cast<double>(sample.steps) + overhead * static_cast<double>(sample.epoch);
    if (!progress.work.empty() && work <= progress.work.back()) continue;  // nothing new; or a step that is done again
    progress.time.push_back(sample.time);
    progress.work.push_back(work);
  }
  return progress;
}

double time_at(const Progress& progress, double work) {
  const auto above = std::ranges::lower_bound(progress.work, work);
  if (above == progress.work.begin()) return progress.time.front();
  if (above == progress.work.end()) return progress.time.back();
  const auto i = static_cast<std::size_t>(above - progress.work.begin());
  const double share = (work - progress.work[i - 1]) / (progress.work[i] - progress.work[i - 1]);
  return progress.time[i - 1] + share * (progress.time[i] - progress.time[i - 1]);
}

// Whole epochs as far as samples do not reach back, then equal parts of what samples know.
std::vector<Stretch> stretches_of(const RunRecord& run, const Progress& progress, double overhead) {
  std::vector<Stretch> all;
  for (const RunEpoch& epoch : run.epochs)
    if (epoch.time - epoch.seconds >= run.training->started && epoch.time <= progress.time.front() && epoch.seconds > 0)
      all.push_back({static_cast<double>(run.training->batches) + overhead, epoch.seconds});
  if (all.size() > most_stretches) all.erase(all.begin(), all.end() - most_stretches);
  const std::size_t parts = std::clamp<std::size_t>(progress.work.size() / 4, 2, most_stretches);
  const double work = (progress.work.back() - progress.work.front()) / static_cast<double>(parts);
  double before = progress.time.front();
  for (std::size_t i = 1; i <= parts; ++i) {
    const double after = i == parts ? progress.time.back() : time_at(progress, progress.work.front() + work * static_cast<double>(i));
    if (i > 1 || parts < 6 || !all.empty()) all.push_back({work, after - before});  // the first steps of a run are no measure
    before = after;
  }
  return all;
}

struct Pace {
  double seconds = 0;  // of a step
  double low = 0, high = 0;
};

Stretch together(std::span<const Stretch> stretches) {
  Stretch sum;
  for (const Stretch& stretch : stretches) {
    sum.work += stretch.work;
    sum.seconds += stretch.seconds;
  }
  return sum;
}

Pace pace_of(std::span<const Stretch> stretches, double left) {
  const Stretch all = together(stretches);
  const std::size_t count = stretches.size(), newest = std::max<std::size_t>(1, count / 4);
  const double overall = all.pace(), recent = together(stretches.last(newest)).pace(), pace = 0.5 * (overall + recent);
  // Longer stretches weigh more; where neighbours are alike, many know little more than a few.
  double squares = 0, neighbours = 0, weights = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = stretches[i].work / all.work, off = stretches[i].pace() / overall - 1;
    squares += weight * off * off;
    weights += weight * weight;
    if (i > 0) neighbours += weight * off * (stretches[i - 1].pace() / overall - 1);
  }
  const double alike = squares > 0 ? std::clamp(neighbours / squares, 0.0, 0.6) : 0, worth = (1 - alike) / (1 + alike);
  const double past = std::max(1.0, worth / weights), future = std::max(1.0, worth / weights * left / all.work);
  const double by_chance = 1.64 * std::sqrt(squares * (1 / past + 1 / future));
  const double by_ignorance = 0.03 + 0.05 * std::min(left / all.work, 2.0);  // of what has not been seen yet
  const double reach = std::min(std::max(by_chance + by_ignorance, 0.5 * std::abs(overall - recent) / pace), 0.9);
  return {.seconds = pace, .low = pace * (1 - reach), .high = pace * (1 + reach)};
}

std::optional<Expectation> training_end(const RunRecord& run) {
  if (!run.training || run.training->over() || run.training->epochs <= 0 || run.training->batches <= 0) return std::nullopt;
  const RunTraining& training = *run.training;
  const std::optional<double> known = overhead_in_steps(run);
  const auto batches = static_cast<double>(training.batches);
  const double overhead = known.value_or(unknown_overhead * batches);
  const Progress progress = progress_of(run, overhead);
  if (progress.work.size() < 5 || progress.work.back() - progress.work.front() < 8) return std::nullopt;
  if (progress.time.back() - progress.time.front() < 0.3) return std::nullopt;
  const double steps_left = std::max(0.0, training.steps_of(training.epochs) - static_cast<double>(training.step));
  const double epochs_left = std::max(0.0, static_cast<double>(training.epochs - training.epoch));
  const double left = steps_left + overhead * epochs_left;
  const Pace pace = pace_of(stretches_of(run, progress, overhead), left);
  // Of an evaluation that runs now, or of a step, some is over.
  const bool evaluating = static_cast<double>(training.step) >= training.steps_of(training.epoch) + batches;
  const double over = std::clamp((run.time - progress.time.back()) / pace.seconds, 0.0, evaluating ? overhead : 1.0);
  const double unknown = known ? 0 : overhead * epochs_left;  // evaluation may be nothing, or twice as much
  Expectation e;
  e.seconds = std::max(0.0, left - over) * pace.seconds;
  e.low = std::max(0.0, std::max(0.0, left - over - unknown / 2) * pace.low - 0.1);
  e.high = std::max(0.0, left - over + unknown) * pace.high + 0.2;
  e.message = cat("training ends in about ", readable_seconds(e.seconds), interval_text(e), ", after ", training.epochs,
                  training.epochs == 1 ? " epoch" : " epochs");
  return e;
}

}  // namespace

Forecast forecast_of(const RunRecord& run) { return {.memory_full = memory_full(run), .training_end = training_end(run)}; }

}  // namespace tidepool::inline v0::monitor
