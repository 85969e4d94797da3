#include <algorithm>
#include <cmath>
#include <ranges>

#include "cli/watch/figures.h"
#include "cli/watch/sections.h"
#include "platform/cat.h"

namespace tidepool::cli {

using monitor::RunRecord;

namespace {

std::string words(std::string name) {  // "step time"
  std::ranges::replace(name, '_', ' ');
  return name;
}

}  // namespace

// Anomalies and advice first; the latest of each.
Section note_section(const RunRecord& run, const Screen& screen) {
  Section section{{}, 3, 1};
  const auto note = [&](const char* what, Colour colour, const std::string& value, const std::string& message) {
    Line line;
    line.add(cat(' ', what), colour).pad_to(has_room(screen) ? label_columns : 9);
    line.right(value, has_room(screen) ? value_columns : 5, Colour::faint).add(cat("  ", message));
    section.lines.push_back(line);
  };
  constexpr std::size_t each = 3;
  for (const auto& a : std::views::reverse(run.anomalies) | std::views::take(each))
    note("anomaly", Colour::yellow, clock_text(a.time), cat(words(name_of(a.kind)), ": ", a.message));
  for (const auto& a : run.advice | std::views::take(each))
    note("advice", Colour::green, cat(std::lround(a.gain * 100), " %"), cat(a.setting, a.setting.empty() ? "" : ": ", a.message));
  for (const auto& e : std::views::reverse(run.events) | std::views::take(each)) {
    const bool bad = e.kind == "lost" || e.kind == "fallback";
    note("event", bad ? Colour::red : Colour::blue, clock_text(e.time),
         cat(e.kind, e.device.empty() ? "" : " ", e.device, e.message.empty() ? "" : ": ", e.message));
  }
  return section;
}

}  // namespace tidepool::cli
