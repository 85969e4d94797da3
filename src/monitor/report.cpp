#include "monitor/report.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <span>

#include "monitor/report/bottlenecks.h"
#include "monitor/report/comparison.h"
#include "monitor/report/spent.h"
#include "platform/replace_file.h"

namespace tidepool::inline v0::monitor {

namespace {

// What cannot be put in figures is the worst.
double badness(const Change& change) { return change.change ? std::abs(*change.change) : std::numeric_limits<double>::infinity(); }

// The one that took most time first, whatever order a file has them in.
template <class Row>
void rank(std::vector<Row>& rows) {
  const auto key = [](const Row& row) { return std::isfinite(row.device_ms) ? row.device_ms : 0; };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return key(a) > key(b); });
}

}  // namespace

Report report_of(const RunRecord& run, const RunRecord* against) {
  Report report{.run = run, .time = time_spent(run), .memory = memory_spent(run)};
  rank(report.run.kernels);
  rank(report.run.operations);
  if (against) report.comparison = compare(report.run, *against);
  report.bottlenecks = bottlenecks_of(report.run, report.time, report.memory);
  report.recommendations = recommendations_of(report.run, report.bottlenecks, regressions(report));
  return report;
}

std::vector<Change> regressions(const Report& report) {
  std::vector<Change> all;
  if (!report.comparison) return all;
  for (const auto* changes : {&report.comparison->figures, &report.comparison->kernels}) {
    const auto begin = static_cast<std::ptrdiff_t>(all.size());
    std::copy_if(changes->begin(), changes->end(), std::back_inserter(all), [](const Change& change) { return change.regression; });
    std::stable_sort(all.begin() + begin, all.end(), [](const Change& a, const Change& b) { return badness(a) > badness(b); });
  }
  return all;
}

bool has_regression(const Report& report) { return !regressions(report).empty(); }

std::optional<ReportFormat> format_of(const std::string& path) {
  std::string lower = path;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.ends_with(".html") || lower.ends_with(".htm")) return ReportFormat::html;
  if (lower.ends_with(".md") || lower.ends_with(".markdown")) return ReportFormat::markdown;
  return std::nullopt;
}

void write_report(const Report& report, const std::string& path, ReportFormat format) {
  const std::string text = format == ReportFormat::html ? to_html(report) : to_markdown(report);
  const std::array<std::span<const std::byte>, 1> pieces{std::as_bytes(std::span(text))};
  replace_file("report", path, pieces);
}

}  // namespace tidepool::inline v0::monitor
