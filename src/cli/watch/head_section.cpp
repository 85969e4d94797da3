#include <algorithm>
#include <cmath>

#include "cli/watch/figures.h"
#include "cli/watch/sections.h"
#include "cli/watch/state.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::cli {

using monitor::RunRecord;
using monitor::RunTraining;

namespace {

Line progress(const RunRecord& run, const Screen& screen) {
  const RunTraining& t = *run.training;
  const std::string before = t.epochs > 0 ? cat(" epoch ", current_epoch(t), '/', t.epochs, "  ") : " ";
  std::string after = cat("  ", percent_text(done_share(t)), "  step ", with_commas(t.step));
  if (screen.columns >= 100 && !run.samples.empty() && run.samples.back().samples_per_second > 0)
    after += cat("  ", with_commas(std::llround(std::min(run.samples.back().samples_per_second, 1e18))), " samples/s");
  if (run.forecast.training_end && !t.over()) {
    const monitor::Expectation& end = *run.forecast.training_end;
    after += cat("  ends in ", clock_text(end.seconds));
    if (screen.columns >= 90) after += cat(" (", clock_text(end.low), " to ", clock_text(end.high), ")");
  }
  const std::size_t texts = columns_of(before) + columns_of(after) + 1;
  Line line;
  line.add(before);
  if (screen.columns >= texts + 5 && t.epochs > 0) {
    const std::size_t cells = screen.columns - texts;
    const auto full = static_cast<std::size_t>(done_share(t) * static_cast<double>(cells));
    std::string bar, rest;
    for (std::size_t i = 0; i < cells; ++i) (i < full ? bar : rest) += i < full ? "━" : screen.colour ? "━" : "─";
    line.add(bar, Colour::green).add(rest, Colour::faint);
  }
  return line.add(after);
}

}  // namespace

Section head_section(const RunRecord& run, const Screen& screen) {
  Line top;
  const std::string state = screen.note.empty() ? state_of(run) : screen.note;
  const std::string right = cat(state, "  ", clock_text(run.time));
  const std::string task = run.training && !run.training->task.empty() ? run.training->task : "a run";
  std::string device = run.device.id;
  if (!run.device.name.empty() && run.device.name != device) device += " · " + run.device.name;
  const std::size_t most = screen.columns - std::min(screen.columns, columns_of(right) + 3);
  top.add(shortened(cat(" tidepool  ", task), most), Colour::strong);
  if (most > top.width() + 6) top.add(shortened(" on " + device, most - top.width()));
  top.pad_to(screen.columns - std::min(screen.columns, columns_of(right) + 1));
  top.add(state, screen.note.empty() ? Colour::green : Colour::red).add("  " + clock_text(run.time), Colour::faint);
  Section section{{top}, 2, 1};
  if (run.training) section.lines.push_back(progress(run, screen));
  return section;
}

}  // namespace tidepool::cli
