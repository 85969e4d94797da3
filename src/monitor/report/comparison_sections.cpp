// Two runs side by side.
#include "monitor/report/sections.h"
#include "monitor/report/text.h"
#include "monitor/wording.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::size_t most_kernels = 15;

std::string value_text(const std::optional<double>& value, Change::Unit unit) {
  if (!value) return "–";
  switch (unit) {
    case Change::milliseconds:
      return duration_text(*value / 1e3);
    case Change::microseconds:
      return duration_text(*value / 1e6);
    case Change::seconds:
      return duration_text(*value);
    case Change::bytes:
      return readable_bytes_of(*value);
    case Change::per_second:
      return number_text(*value);
    case Change::plain:
      break;
  }
  return number_text(*value, 4);
}

Words verdict_words(const Change& change) {
  const std::string by = change.change ? change_text(*change.change) + ", " : "";
  switch (change.verdict) {
    case Change::same:
      return {.text = by + "same"};
    case Change::better:
      return {.text = by + "better", .look = Words::good};
    case Change::worse:
      return {.text = by + "worse", .look = change.regression ? Words::bad : Words::plain};
    case Change::unclear:
      break;
  }
  return {.text = by + "unclear"};
}

std::vector<Line> row_of(const Change& change, Line name) {
  return {std::move(name), verdict_words(change), value_text(change.now, change.unit), value_text(change.earlier, change.unit),
          change.spread > 0 ? cat("±", value_text(change.spread, change.unit)) : std::string("–")};
}

Table table_of(std::string caption, const char* first) {
  return {.caption = std::move(caption), .columns = {{first}, {"change"}, {"now", true}, {"earlier", true}, {"spread", true}}};
}

}  // namespace

Section regressions_section(const Report& report) {
  Section section{.title = "Regressions", .id = "regressions"};
  const std::vector<Change> worse = regressions(report);
  if (worse.empty()) {
    section.elements.emplace_back("None: no figure is worse by more than 10 % and by more than the runs' own spread.");
    return section;
  }
  List list;
  for (const Change& change : worse) {
    const bool kernel = change.unit == Change::microseconds;
    Line item = kernel ? Line{{.text = "kernel "}, code(change.figure)} : Line(change.figure);
    item.words.push_back({.text = cat(": ", value_text(change.now, change.unit), ", earlier ", value_text(change.earlier, change.unit))});
    if (change.change) item.words.push_back({.text = cat(" (", change_text(*change.change), ")"), .look = Words::bad});
    list.items.push_back(std::move(item));
  }
  section.elements.emplace_back(std::move(list));
  return section;
}

Section comparison_section(const Report& report) {
  const Comparison& comparison = *report.comparison;
  Section section{.title = "Beside the earlier run", .id = "comparison"};
  std::vector<Element>& all = section.elements;
  if (!comparison.earlier.empty()) all.emplace_back(cat("The earlier run started at ", clean(comparison.earlier), "."));
  if (!comparison.differences.empty()) {
    all.emplace_back("The runs are not of the same thing, and a change may come from that:");
    List list;
    for (const std::string& difference : comparison.differences) list.items.emplace_back(difference);
    all.emplace_back(std::move(list));
  }
  if (comparison.figures.empty()) all.emplace_back("Neither run has steps, epochs or memory to compare.");
  if (!comparison.figures.empty()) {
    Table table = table_of("Main figures", "figure");
    for (const Change& change : comparison.figures) table.rows.push_back(row_of(change, change.figure));
    all.emplace_back(std::move(table));
  }
  if (!comparison.kernels.empty()) {
    const std::size_t shown = std::min(comparison.kernels.size(), most_kernels);
    Table table = table_of(
        cat("Kernels that both runs have, a launch's mean", shown < comparison.kernels.size() ? cat("; the first ", shown) : ""), "kernel");
    for (std::size_t i = 0; i < comparison.kernels.size(); ++i)
      if (const Change& change = comparison.kernels[i]; i < shown || change.regression)
        table.rows.push_back(row_of(change, code(change.figure)));
    all.emplace_back(std::move(table));
  }
  return section;
}

}  // namespace tidepool::inline v0::monitor
