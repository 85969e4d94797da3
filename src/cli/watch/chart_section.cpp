#include <algorithm>
#include <cmath>
#include <ranges>

#include "cli/watch/figures.h"
#include "cli/watch/sections.h"
#include "cli/watch/state.h"
#include "platform/cat.h"

namespace tidepool::cli {

using monitor::RunRecord;
using monitor::Sample;

namespace {

void chart(Section& section, const Screen& screen, const char* name, const std::vector<double>& values, std::string (*text_of)(double),
           Colour colour, std::optional<std::pair<double, double>> bounds = {}) {
  if (values.empty()) return;
  Line line;
  line.add(cat(' ', name), Colour::faint).pad_to(label_columns);
  line.right(text_of(values.back()), value_columns, std::isfinite(values.back()) ? Colour::strong : Colour::red).add("  ");
  std::string range;
  auto finite = values | std::views::filter([](double v) { return std::isfinite(v); });
  if (has_room(screen) && !bounds && !finite.empty())
    range = cat("  ", text_of(std::ranges::min(finite)), " to ", text_of(std::ranges::max(finite)));
  constexpr std::size_t range_columns = 22;
  const std::size_t taken = line.width() + 1 + (has_room(screen) ? range_columns : 0);
  if (screen.columns > taken) line.add(sparkline(values, screen.columns - taken, bounds), colour);
  if (has_room(screen)) line.pad_to(screen.columns - range_columns).add(range, Colour::faint);
  section.lines.push_back(line);
}

Line last_epoch(const monitor::RunEpoch& e, const Screen& screen) {
  Line line;
  line.add(cat(" epoch ", e.epoch), Colour::faint).pad_to(has_room(screen) ? label_columns + value_columns : 0);
  line.add(cat("  loss ", number_text(e.loss)));
  if (e.has_accuracy) line.add(cat("  accuracy ", percent_text(e.accuracy)));
  if (e.has_test) line.add(cat("  test loss ", number_text(e.test_loss), "  test accuracy ", percent_text(e.test_accuracy)));
  return line.add(cat("  ", duration_text(e.seconds)), Colour::faint);
}

}  // namespace

Section chart_section(const RunRecord& run, const Screen& screen) {
  Section section{{}, 4, 1};
  const std::vector<double> loss = present(run, &Sample::loss), accuracy = present(run, &Sample::accuracy), steps = step_times(run);
  const std::vector<double> ours = present(run, &Sample::utilisation), system = present(run, &Sample::system_utilisation);
  const std::pair<double, double> whole{0, 1};
  chart(section, screen, "loss", loss, number_text, Colour::yellow);
  chart(section, screen, "accuracy", accuracy, percent_text, Colour::green);
  chart(section, screen, "step", steps, duration_text, Colour::cyan);
  if (!ours.empty())
    chart(section, screen, "utilisation", ours, percent_text, Colour::magenta, whole);
  else
    chart(section, screen, "system load", system, percent_text, Colour::magenta, whole);
  if (!run.epochs.empty()) section.lines.push_back(last_epoch(run.epochs.back(), screen));
  return section;
}

}  // namespace tidepool::cli
