#include "cli/watch/view.h"

#include <ranges>

#include "cli/watch/figures.h"
#include "cli/watch/sections.h"
#include "cli/watch/state.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::cli {

using monitor::RunRecord;
using monitor::RunTraining;
using monitor::Sample;

namespace {

// Shortens the sections until they fit, the last ones first; whether there is room for blank lines between them.
bool fit(std::vector<Section>& sections, std::size_t rows) {
  std::size_t lines = sections.size() - 1;
  for (const Section& section : sections) lines += section.lines.size();
  const auto shorten = [&](Section& section, std::size_t to) {
    for (; lines > rows && section.lines.size() > to; --lines) section.lines.pop_back();
  };
  for (Section& section : std::views::reverse(sections)) shorten(section, section.good);
  if (lines <= rows) return true;
  lines -= sections.size() - 1;
  for (Section& section : std::views::reverse(sections)) shorten(section, section.least);
  for (Section& section : std::views::reverse(sections)) {
    if (lines <= rows) break;
    lines -= section.lines.size();
    section.lines.clear();
  }
  return false;
}

}  // namespace

std::string draw(const RunRecord& run, const Screen& screen) {
  // The more a section matters, the earlier it is here; that is also their order on the screen.
  std::vector<Section> sections{head_section(run, screen), chart_section(run, screen), memory_section(run, screen),
                                note_section(run, screen), kernel_section(run, screen)};
  std::erase_if(sections, [](const Section& section) { return section.lines.empty(); });
  const bool spaced = fit(sections, screen.rows);
  std::string text;
  for (const Section& section : sections) {
    if (spaced && !text.empty()) text += '\n';
    for (const Line& line : section.lines) text += line.text(screen.columns, screen.colour) + '\n';
  }
  if (!text.empty()) text.pop_back();
  return text;
}

std::string plain_line(const RunRecord& run) {
  std::string text = cat(clock_text(run.time), "  ", state_of(run));
  if (run.training) {
    const RunTraining& t = *run.training;
    if (t.epochs > 0) text += cat("  epoch ", current_epoch(t), '/', t.epochs);
    text += cat("  step ", t.step);
  }
  if (const auto loss = present(run, &Sample::loss); !loss.empty()) text += cat("  loss ", number_text(loss.back()));
  if (const auto accuracy = present(run, &Sample::accuracy); !accuracy.empty()) text += cat("  accuracy ", percent_text(accuracy.back()));
  if (const auto steps = step_times(run); !steps.empty()) text += cat("  step time ", duration_text(steps.back()));
  if (run.samples.empty()) return text;
  const Sample& s = run.samples.back();
  text += cat("  memory ", readable_bytes(s.live));
  if (s.limit > 0) text += cat(" of ", readable_bytes(s.limit));
  if (s.utilisation) text += cat("  utilisation ", percent_text(*s.utilisation));
  if (!run.anomalies.empty()) text += cat("  anomalies ", run.anomalies.size());
  return text;
}

}  // namespace tidepool::cli
