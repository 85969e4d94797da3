#include "monitor/report/comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "monitor/report/spent.h"
#include "monitor/report/text.h"
#include "monitor/statistics.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr double same_within = 0.05;       // of the earlier figure
constexpr double regression_beyond = 0.1;  // likewise
constexpr std::uint64_t enough_timed = 8;  // launches of a kernel, before their mean means something
constexpr double kernel_matters = 0.02;    // what its change costs, of the kernels' time

// A figure of one run, and how much it varies by itself.
struct Figure {
  std::optional<double> value = {};
  double below = 0, above = 0;
  // Of two figures that are compared, each lends half of what it varies.
  static Figure around(double value, double spread) { return {.value = value, .below = spread / 2, .above = spread / 2}; }
};

enum class Good { low, high };

Figure median_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  return Figure::around(median(values), deviation(values));
}

template <class Row, class Get>
std::vector<double> collect(const std::vector<Row>& rows, Get&& get) {
  std::vector<double> values;
  for (const Row& row : rows)
    if (const std::optional<double> value = get(row); value && std::isfinite(*value)) values.push_back(*value);
  return values;
}

std::optional<double> if_positive(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

// What follows from the steps varies at least as they do.
Figure as_steps_vary(const RunRecord& run, const std::vector<double>& values) {
  const Figure figure = median_of(values);
  const std::optional<StepTimes> step = step_times(run);
  if (!figure.value || !step) return figure;
  return Figure::around(*figure.value, std::max(2 * figure.above, step->spread / step->median * *figure.value));
}

Figure samples_a_second(const RunRecord& run) {
  auto values = collect(run.samples, [](const Sample& s) { return if_positive(s.samples_per_second); });
  if (values.empty()) values = collect(run.epochs, [](const RunEpoch& e) { return if_positive(e.samples_per_second); });
  return as_steps_vary(run, values);
}

Figure epoch_seconds(const RunRecord& run) {
  return as_steps_vary(run, collect(run.epochs, [](const RunEpoch& e) { return if_positive(e.seconds); }));
}

Figure exact(double value) { return value > 0 ? Figure{.value = value} : Figure{}; }

// What training ended with; it varies as it did from each of the last epochs to the next, beyond the progress that they have in common.
template <class Get>
Figure at_the_end(const RunRecord& run, Get&& get) {
  Figure figure;
  std::vector<double> last;
  for (const RunEpoch& epoch : run.epochs)
    if (const std::optional<double> value = get(epoch)) {
      figure.value = value;
      if (std::isfinite(*value)) last.push_back(*value);
    }
  if (last.size() > 10) last.erase(last.begin(), last.end() - 10);
  if (last.size() < 5) return figure;
  std::adjacent_difference(last.begin(), last.end(), last.begin());
  last.erase(last.begin());
  figure = Figure::around(*figure.value, deviation(last) / std::sqrt(2.0));
  return figure;
}

Change judge(std::string name, Change::Unit unit, Good good, const Figure& now, const Figure& earlier) {
  Change change{.figure = std::move(name), .unit = unit, .now = now.value, .earlier = earlier.value};
  if (!now.value || !earlier.value) return change;
  const double a = *now.value, b = *earlier.value;
  change.spread = a > b ? now.below + earlier.above : now.above + earlier.below;  // towards each other
  if (!std::isfinite(a) || !std::isfinite(b)) {                                   // a loss that is no number any more
    change.verdict = std::isfinite(a) == std::isfinite(b) ? Change::same : std::isfinite(a) ? Change::better : Change::worse;
    change.regression = change.verdict == Change::worse;
    return change;
  }
  if (b != 0) change.change = (a - b) / std::abs(b);
  const double size = std::abs(a - b), of = std::abs(b);
  if (size <= same_within * of || size <= change.spread)
    change.verdict = Change::same;
  else
    change.verdict = (a < b) == (good == Good::low) ? Change::better : Change::worse;
  change.regression = change.verdict == Change::worse && size > regression_beyond * of;
  return change;
}

Figure step_median(const RunRecord& run) {
  const std::optional<StepTimes> step = step_times(run);
  return step ? Figure::around(step->median, step->spread) : Figure{};
}

Figure step_p99(const RunRecord& run) {
  const std::optional<StepTimes> step = step_times(run);
  if (!step || !(step->p99 > 0)) return {};
  return {
      .value = step->p99, .below = std::max(step->spread, step->p99 - step->low), .above = std::max(step->spread, step->high - step->p99)};
}

// A kernel's mean comes without a spread; it varies at least as steps do. What it costs shows in the steps, or it is chance.
std::vector<Change> compare_kernels(const RunRecord& run, const RunRecord& earlier) {
  const Change steps = judge("", Change::milliseconds, Good::low, step_median(run), step_median(earlier));
  const bool may_regress = steps.verdict == Change::worse || !steps.now || !steps.earlier;
  double relative = 0;
  for (const RunRecord* each : {&run, &earlier})
    if (const std::optional<StepTimes> step = step_times(*each)) relative = std::max(relative, step->spread / step->median);
  std::unordered_map<std::string_view, const KernelRow*> by_name;
  for (const KernelRow& row : earlier.kernels) by_name.emplace(row.name, &row);
  std::vector<Change> changes;
  for (const KernelRow& row : run.kernels) {
    const auto found = by_name.find(row.name);
    if (found == by_name.end() || !(row.mean_us > 0) || !(found->second->mean_us > 0)) continue;
    const KernelRow& before = *found->second;
    const auto figure = [&](const KernelRow& r) { return Figure::around(r.mean_us, relative * r.mean_us); };
    Change change = judge(row.name, Change::microseconds, Good::low, figure(row), figure(before));
    if (std::min(row.timed, before.timed) < enough_timed) change.verdict = Change::unclear;
    const double lost = row.share * (1 - before.mean_us / row.mean_us);  // of the kernels' time
    change.regression = may_regress && change.regression && change.verdict == Change::worse && lost >= kernel_matters;
    changes.push_back(std::move(change));
  }
  return changes;
}

class Differences {
 public:
  template <class T>
  Differences& of(const char* what, const T& now, const T& earlier) {
    if (!(now == earlier)) all.push_back(cat(what, " ", shown(now), ", earlier ", shown(earlier)));
    return *this;
  }
  std::vector<std::string> all;

 private:
  static std::string shown(const std::string& text) { return text.empty() ? "unknown" : clean(text); }
  static std::string shown(std::int64_t number) { return cat(number); }
  static std::string shown(std::size_t bytes) { return bytes ? readable_bytes(bytes) : "none"; }
};

std::vector<std::string> differences(const RunRecord& run, const RunRecord& earlier) {
  Differences found;
  const RunTraining none, &now = run.training ? *run.training : none, &then = earlier.training ? *earlier.training : none;
  found.of("task", now.task, then.task)
      .of("epochs done", now.epoch, then.epoch)
      .of("batch", now.batch, then.batch)
      .of("samples in an epoch", now.samples, then.samples)
      .of("parameters", now.parameters, then.parameters)
      .of("device", run.device.name, earlier.device.name)
      .of("driver", run.device.driver, earlier.device.driver)
      .of("version", run.version, earlier.version);
  const RunSettings &a = run.settings, &b = earlier.settings;
  found.of("threads", a.threads, b.threads)
      .of("max_commands", a.max_commands, b.max_commands)
      .of("max_cached_per_class", a.max_cached_per_class, b.max_cached_per_class)
      .of("memory limit", a.memory_limit, b.memory_limit)
      .of("cache limit", a.cache_limit, b.cache_limit);
  return found.all;
}

}  // namespace

std::optional<StepTimes> step_times(const RunRecord& run) {
  constexpr std::size_t enough = 20;
  const std::vector<double> sampled = collect(run.samples, [](const Sample& s) { return if_positive(s.step_ms); });
  const auto kept = run.figures.find("step_ms");
  if (kept != run.figures.end() && kept->second.count >= enough && kept->second.p50 > 0) {
    const FigureSummary& f = kept->second;
    // Of normal values nine tenths lie below 1.28 standard deviations.
    return StepTimes{
        .median = f.p50, .spread = std::max(deviation(sampled), (f.p90 - f.p50) / 1.2816), .p99 = f.p99, .low = f.p90, .high = f.most};
  }
  if (sampled.empty()) return std::nullopt;
  StepTimes times{.median = median(sampled), .spread = deviation(sampled)};
  if (sampled.size() < enough) return times;
  // Of few values it is whichever one it happened to be: it may as well have been any within five standard errors of its rank.
  const double ranks = 5 * std::sqrt(0.99 * 0.01 / static_cast<double>(sampled.size()));
  times.p99 = percentile(sampled, 0.99);
  times.low = percentile(sampled, 0.99 - ranks);
  times.high = percentile(sampled, std::min(1.0, 0.99 + ranks));
  return times;
}

Comparison compare(const RunRecord& run, const RunRecord& earlier) {
  Comparison result{.earlier = earlier.started, .differences = differences(run, earlier)};
  const auto add = [&](const char* name, Change::Unit unit, Good good, auto&& figure) {
    Change change = judge(name, unit, good, figure(run), figure(earlier));
    if (change.now || change.earlier) result.figures.push_back(std::move(change));
  };
  add("step time (median)", Change::milliseconds, Good::low, step_median);
  add("step time (99th percentile)", Change::milliseconds, Good::low, step_p99);
  add("samples a second", Change::per_second, Good::high, samples_a_second);
  add("time for an epoch", Change::seconds, Good::low, epoch_seconds);
  add("peak memory", Change::bytes, Good::low, [](const RunRecord& r) { return exact(static_cast<double>(memory_spent(r).peak)); });
  const auto if_any = [](bool any, double value) { return any ? std::optional(value) : std::nullopt; };
  add("loss at the end", Change::plain, Good::low,
      [](const RunRecord& r) { return at_the_end(r, [](const RunEpoch& e) { return std::optional(e.loss); }); });
  add("accuracy at the end", Change::plain, Good::high,
      [&](const RunRecord& r) { return at_the_end(r, [&](const RunEpoch& e) { return if_any(e.has_accuracy, e.accuracy); }); });
  add("test loss at the end", Change::plain, Good::low,
      [&](const RunRecord& r) { return at_the_end(r, [&](const RunEpoch& e) { return if_any(e.has_test, e.test_loss); }); });
  add("test accuracy at the end", Change::plain, Good::high, [&](const RunRecord& r) {
    return at_the_end(r, [&](const RunEpoch& e) { return if_any(e.has_test && e.has_accuracy, e.test_accuracy); });
  });
  result.kernels = compare_kernels(run, earlier);
  return result;
}

}  // namespace tidepool::inline v0::monitor
