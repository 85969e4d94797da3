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
constexpr double kernel_matters = 0.01;    // its share of the kernels' time

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

// The 99th percentile of few values is whichever one it happened to be: it may as well have been any within five standard errors of its
// rank.
Figure p99_of(const std::vector<double>& values) {
  if (values.size() < 20) return {};
  const double n = static_cast<double>(values.size()), ranks = 5 * std::sqrt(0.99 * 0.01 / n);
  const double value = percentile(values, 0.99), usual = deviation(values);
  const double above = percentile(values, std::min(1.0, 0.99 + ranks)) - value, below = value - percentile(values, 0.99 - ranks);
  return {.value = value, .below = std::max(below, usual), .above = std::max(above, usual)};
}

template <class Row, class Get>
std::vector<double> collect(const std::vector<Row>& rows, Get&& get) {
  std::vector<double> values;
  for (const Row& row : rows)
    if (const std::optional<double> value = get(row); value && std::isfinite(*value)) values.push_back(*value);
  return values;
}

std::optional<double> if_positive(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

std::vector<double> paces(const RunRecord& run) {
  auto values = collect(run.samples, [](const Sample& s) { return if_positive(s.samples_per_second); });
  if (values.empty()) values = collect(run.epochs, [](const RunEpoch& e) { return if_positive(e.samples_per_second); });
  return values;
}

// Epochs take as long as their steps: what those vary, these may.
Figure epoch_seconds(const RunRecord& run) {
  Figure figure = median_of(collect(run.epochs, [](const RunEpoch& e) { return if_positive(e.seconds); }));
  const Figure step = median_of(step_times(run));
  if (!figure.value || !step.value) return figure;
  return Figure::around(*figure.value, 2 * std::max(figure.above, step.above / *step.value * *figure.value));
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

// A kernel's mean comes without a spread; it varies at least as steps do.
std::vector<Change> compare_kernels(const RunRecord& run, const RunRecord& earlier) {
  double relative = 0;
  for (const RunRecord* each : {&run, &earlier})
    if (const Figure step = median_of(step_times(*each)); step.value) relative = std::max(relative, 2 * step.above / *step.value);
  std::unordered_map<std::string_view, const KernelRow*> by_name;
  for (const KernelRow& row : earlier.kernels) by_name.emplace(row.name, &row);
  std::vector<Change> changes;
  for (const KernelRow& row : run.kernels) {
    const auto found = by_name.find(row.name);
    if (found == by_name.end()) continue;
    const KernelRow* before = found->second;
    const auto figure = [&](const KernelRow& r) { return Figure::around(r.mean_us, relative * r.mean_us); };
    Change change = judge(row.name, Change::microseconds, Good::low, figure(row), figure(*before));
    if (std::min(row.timed, before->timed) < enough_timed) change.verdict = Change::unclear;
    change.regression = change.regression && change.verdict == Change::worse && std::max(row.share, before->share) >= kernel_matters;
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

std::vector<double> step_times(const RunRecord& run) {
  return collect(run.samples, [](const Sample& s) { return if_positive(s.step_ms); });
}

Comparison compare(const RunRecord& run, const RunRecord& earlier) {
  Comparison result{.earlier = earlier.started, .differences = differences(run, earlier)};
  const auto add = [&](const char* name, Change::Unit unit, Good good, auto&& figure) {
    Change change = judge(name, unit, good, figure(run), figure(earlier));
    if (change.now || change.earlier) result.figures.push_back(std::move(change));
  };
  add("step time (median)", Change::milliseconds, Good::low, [](const RunRecord& r) { return median_of(step_times(r)); });
  add("step time (99th percentile)", Change::milliseconds, Good::low, [](const RunRecord& r) { return p99_of(step_times(r)); });
  add("samples a second", Change::per_second, Good::high, [](const RunRecord& r) { return median_of(paces(r)); });
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
