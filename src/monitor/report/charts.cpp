// What the charts show, and what they show in words.
#include <algorithm>
#include <cmath>

#include "memory/block.h"
#include "monitor/report/comparison.h"
#include "monitor/report/sections.h"
#include "monitor/report/spent.h"
#include "monitor/report/text.h"
#include "monitor/statistics.h"
#include "monitor/wording.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr double too_wide = 50;  // between lowest and highest: then equal ratios are equal distances

std::string step_label(double ms) { return ms > 0 ? duration_text(ms / 1e3) : "0"; }
std::string byte_label(double bytes) { return bytes > 0 ? readable_bytes_of(bytes) : "0"; }
std::string loss_label(double loss) { return number_text(loss, 2); }

// What the losses come to in words; those that are not finite apart.
void describe_loss(Chart& chart) {
  const std::vector<double>& losses = chart.series.front().values;
  std::size_t first = losses.size(), last = 0, lowest = 0, wild = 0, wild_at = 0;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (!std::isfinite(losses[i])) {
      if (wild++ == 0) wild_at = i;
      continue;
    }
    if (first == losses.size()) first = lowest = i;
    last = i;
    if (losses[i] < losses[lowest]) lowest = i;
    highest = std::max(highest, losses[i]);
  }
  const auto at = [&](std::size_t i) { return cat(number_text(losses[i], 4), " at ", moment_text(chart.times[i])); };
  if (first < losses.size()) {
    chart.caption = cat("From ", at(first), " to ", at(last), "; the lowest is ", at(lowest), ".");
    chart.logarithmic = losses[lowest] > 0 && highest / losses[lowest] > too_wide;
  }
  if (wild)
    chart.caption += cat(chart.caption.empty() ? "" : " ", counted(wild, "value is", "values are"), " not finite, first at ",
                         moment_text(chart.times[wild_at]), ".");
}

}  // namespace

Chart loss_chart(const Report& report) {
  Chart chart{.title = "Loss over time", .label = loss_label};
  Chart::Series loss{.name = "loss"};
  for (const Sample& sample : report.run.samples)
    if (sample.loss) {
      chart.times.push_back(sample.time);
      loss.values.push_back(*sample.loss);
    }
  if (chart.times.empty())
    for (const RunEpoch& epoch : report.run.epochs) {
      chart.times.push_back(epoch.time);
      loss.values.push_back(epoch.loss);
    }
  chart.series.push_back(std::move(loss));
  describe_loss(chart);
  return chart;
}

Chart step_chart(const Report& report) {
  Chart chart{.title = "Step time over time", .label = step_label};
  Chart::Series steps{.name = "step time", .colour = 1};
  for (const Sample& sample : report.run.samples)
    if (sample.step_ms > 0 && std::isfinite(sample.step_ms)) {
      chart.times.push_back(sample.time);
      steps.values.push_back(sample.step_ms);
    }
  if (steps.values.empty()) return chart;
  const std::vector<double>& values = steps.values;
  const auto longest = std::max_element(values.begin(), values.end());
  const double middle = median(values), usual = 1.5 * percentile(values, 0.98);
  chart.caption = cat("Of each sample the mean: ", step_label(middle), " in the median, ", step_label(*longest), " at most, at ",
                      moment_text(chart.times[static_cast<std::size_t>(longest - values.begin())]), ".");
  if (*longest > 2 * usual) {  // the first steps often are: the rest would be a line on the floor
    chart.highest = usual;
    const auto above = static_cast<std::uint64_t>(std::count_if(values.begin(), values.end(), [&](double v) { return v > usual; }));
    chart.caption += cat(" ", counted(above, "sample is", "samples are"), " above the chart.");
  }
  chart.line = middle;
  chart.line_name = "median";
  chart.series.push_back(std::move(steps));
  return chart;
}

Chart memory_chart(const Report& report) {
  Chart chart{.title = "Memory over time, by what it is for", .stacked = true, .label = byte_label, .unit = 1024};
  std::size_t tags = 0;
  for (const Sample& sample : report.run.samples) tags = std::clamp(sample.by_tag.size(), tags, memory_tags);
  Chart::Series reserved{.name = "reserved", .colour = 7, .outline = true};
  for (const Sample& sample : report.run.samples) {
    chart.times.push_back(sample.time);
    reserved.values.push_back(static_cast<double>(sample.reserved));
  }
  for (std::size_t tag = 0; tag < tags; ++tag) {
    Chart::Series series{.name = tag_name(tag), .colour = static_cast<int>(tag)};
    for (const Sample& sample : report.run.samples)
      series.values.push_back(tag < sample.by_tag.size() ? static_cast<double>(sample.by_tag[tag]) : 0);
    if (std::any_of(series.values.begin(), series.values.end(), [](double v) { return v > 0; })) chart.series.push_back(std::move(series));
  }
  if (report.memory.at_peak)
    chart.caption = cat("Most was live at ", moment_text(report.memory.at_peak->time), ": ", readable_bytes(report.memory.at_peak->live),
                        "; reserved at most ", readable_bytes(report.memory.peak), ".");
  // A limit far above would press the rest to the floor.
  if (report.memory.limit && report.memory.limit / 3 <= report.memory.peak) {
    chart.line = static_cast<double>(report.memory.limit);
    chart.line_name = "limit";
  } else if (report.memory.limit) {
    chart.caption += cat(" The limit of ", readable_bytes(report.memory.limit), " is far above.");
  }
  chart.series.push_back(std::move(reserved));
  return chart;
}

}  // namespace tidepool::inline v0::monitor
