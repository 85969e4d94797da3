#include "monitor/steady_part.h"

#include <algorithm>

#include "memory/block.h"
#include "monitor/statistics.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::size_t most_samples = 300;  // samples: half a minute
constexpr std::size_t least = 20;
constexpr double warm_up_seconds = 2;  // seconds

std::span<const Sample> steady_samples(const RunRecord& run) {
  std::span<const Sample> all = run.samples;
  // What comes after the last step is not training any more.
  while (run.training && all.size() > 1 && all.back().steps == all[all.size() - 2].steps) all = all.first(all.size() - 1);
  const double from = (run.training ? run.training->started : all.front().time) + warm_up_seconds;
  std::size_t count = 0;
  while (count < std::min(all.size(), most_samples)) {
    const Sample& sample = all[all.size() - 1 - count];
    if (sample.device != all.back().device || sample.time < from) break;
    ++count;
  }
  return all.last(count);
}

double working_bytes(const Sample& sample) {
  double bytes = 0;
  for (const MemoryTag tag : {MemoryTag::activations, MemoryTag::plan})
    if (static_cast<std::size_t>(tag) < sample.by_tag.size()) bytes += static_cast<double>(sample.by_tag[static_cast<std::size_t>(tag)]);
  return bytes;
}

template <class Value>
double median_of(std::span<const Sample> samples, Value&& value) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(static_cast<double>(value(sample)));
  return median(values);
}

double added(std::uint64_t now, std::uint64_t before) { return now > before ? static_cast<double>(now - before) : 0; }

// Sums over the time between samples, but for stretches in which no step ended though one should have: those are evaluation.
void add_up(std::span<const Sample> samples, bool training, SteadyPart& part) {
  double last_step = samples.front().time;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Sample &before = samples[i - 1], &now = samples[i];
    if (now.steps > before.steps) last_step = now.time;
    if (training && now.time - last_step > 0.15 + 2e-3 * part.step_ms) continue;
    part.wall_ms += 1000 * (now.time - before.time);
    part.steps += static_cast<double>(now.steps - before.steps);
    part.launches += added(now.launches, before.launches);
    part.flushes += added(now.flushes, before.flushes);
    part.plan_runs += added(now.plan_runs, before.plan_runs);
    part.allocations += added(now.allocations, before.allocations);
    part.reuses += added(now.reuses, before.reuses);
    part.evictions += added(now.evictions, before.evictions);
    part.compute_ms += std::max(0.0, now.compute_ms - before.compute_ms);
  }
}

void look_at_steps(std::span<const Sample> samples, SteadyPart& part) {
  std::vector<double> steps, waits, shares;
  for (const Sample& sample : samples)
    if (sample.step_ms > 0) {
      steps.push_back(sample.step_ms);
      waits.push_back(sample.loader_ms);
      shares.push_back(std::min(1.0, sample.loader_ms / sample.step_ms));
    }
  part.step_ms = median(steps);
  part.loader_ms = median(waits);
  part.loader_share = median(shares);
  if (part.step_ms > 0) part.uneven = percentile(steps, 0.9) / part.step_ms;
}

}  // namespace

std::optional<SteadyPart> steady_part(const RunRecord& run) {
  if (run.samples.empty()) return std::nullopt;
  const std::span<const Sample> samples = steady_samples(run);
  if (samples.size() < least) return std::nullopt;
  SteadyPart part;
  look_at_steps(samples, part);
  add_up(samples, run.training.has_value(), part);
  if (part.wall_ms <= 0 || (run.training && part.steps < least)) return std::nullopt;
  part.live = median_of(samples, [](const Sample& s) { return s.live; });
  part.cached = median_of(samples, [](const Sample& s) { return s.cached; });
  part.reserved = median_of(samples, [](const Sample& s) { return s.reserved; });
  part.working = median_of(samples, working_bytes);
  std::vector<double> crowd;
  for (const Sample& sample : samples)
    if (sample.system_utilisation) crowd.push_back(*sample.system_utilisation);
  if (!crowd.empty()) part.crowd = median(crowd);
  std::vector<double> live;
  for (const Sample& sample : samples) live.push_back(static_cast<double>(sample.live));
  part.highest_live = percentile(live, 0.98);
  part.limit = static_cast<double>(samples.back().limit);
  return part;
}

}  // namespace tidepool::inline v0::monitor
