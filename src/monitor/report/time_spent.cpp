#include <algorithm>
#include <cmath>

#include "monitor/report/spent.h"

namespace tidepool::inline v0::monitor {

namespace {

// The samples that a log has begun to forget start with totals of their own.
bool covers_the_start(const std::vector<Sample>& samples) {
  const double typical = (samples.back().time - samples.front().time) / static_cast<double>(samples.size());
  return samples.front().time <= std::max(1.0, 5 * typical);
}

// How much a total grew. One that falls began anew: another device works.
template <class Number>
Number grown(const std::vector<Sample>& samples, bool from_start, Number Sample::*total) {
  Number before = from_start ? Number{} : samples.front().*total, sum{};
  for (const Sample& sample : samples) {
    const Number now = sample.*total;
    sum += now >= before ? now - before : now;
    before = now;
  }
  return sum;
}

// The steps between samples, and what they waited for their batches.
void count_steps(const std::vector<Sample>& samples, bool from_start, TimeSpent& spent) {
  const auto done = [](const Sample& sample) { return sample.steps > 0 ? static_cast<std::uint64_t>(sample.steps) : 0; };
  std::uint64_t before = from_start ? 0 : done(samples.front());
  for (const Sample& sample : samples) {
    const std::uint64_t steps = done(sample) > before ? done(sample) - before : 0;
    before = done(sample);
    spent.steps += steps;
    spent.loader_ms += sample.loader_ms * static_cast<double>(steps);
  }
}

// In calls of operations, beyond the work that the CPU did in them.
double host_ms(const RunRecord& run) {
  double sum = 0;
  for (const OperationRow& row : run.operations)
    sum += row.device.starts_with("cpu") ? std::max(0.0, row.host_ms - row.device_ms) : row.host_ms;
  return sum;
}

double finite(double value) { return std::isfinite(value) ? std::max(0.0, value) : 0; }

}  // namespace

double TimeSpent::share_of(TimeShare::Kind kind) const {
  for (const TimeShare& part : shares)
    if (part.kind == kind) return part.share;
  return 0;
}

TimeSpent time_spent(const RunRecord& run) {
  TimeSpent spent;
  if (run.samples.empty()) return spent;
  const bool from_start = covers_the_start(run.samples);
  const auto total = [&](auto field) { return grown(run.samples, from_start, field); };
  spent.from = from_start ? 0 : run.samples.front().time;
  spent.seconds = run.samples.back().time - spent.from;
  spent.compute_ms = finite(total(&Sample::compute_ms));
  spent.transfer_ms = finite(total(&Sample::transfer_ms));
  spent.wait_ms = finite(total(&Sample::wait_ms));
  count_steps(run.samples, from_start, spent);
  spent.loader_ms = finite(spent.loader_ms);
  spent.launches = total(&Sample::launches);
  spent.flushes = total(&Sample::flushes);
  spent.plan_runs = total(&Sample::plan_runs);
  spent.transfer_bytes = total(&Sample::transfer_bytes);
  if (!(spent.seconds > 0)) return spent;

  // The host waits while the device works; only what it waited beyond that is lost.
  const double idle_wait = std::max(0.0, spent.wait_ms - spent.compute_ms - spent.transfer_ms);
  // What is known of the whole run only, as much of it as the samples cover.
  const double part = run.time > 0 ? std::min(1.0, spent.seconds / run.time) : 1;
  double left = spent.seconds;
  const auto add = [&](TimeShare::Kind kind, double seconds) {
    seconds = std::min(left, finite(seconds));
    left -= seconds;
    spent.shares.push_back({.kind = kind, .seconds = seconds, .share = seconds / spent.seconds});
  };
  // On the CPU nothing goes on beside a kernel, and kernels of plans are estimated: they get what the rest leaves.
  const double beside = run.device.kind == "cpu" ? spent.transfer_ms / 1e3 + spent.loader_ms / 1e3 + run.cost.seconds * part : 0;
  add(TimeShare::compute, std::min(spent.compute_ms / 1e3, spent.seconds - beside));
  add(TimeShare::transfer, spent.transfer_ms / 1e3);
  add(TimeShare::wait, idle_wait / 1e3);
  add(TimeShare::loader, spent.loader_ms / 1e3);
  add(TimeShare::watching, run.cost.seconds * part);
  add(TimeShare::host, host_ms(run) / 1e3 * part);
  add(TimeShare::unknown, left);
  return spent;
}

}  // namespace tidepool::inline v0::monitor
