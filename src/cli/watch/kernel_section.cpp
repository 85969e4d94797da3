#include <algorithm>
#include <array>
#include <ranges>

#include "cli/watch/figures.h"
#include "cli/watch/sections.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::cli {

using monitor::RunRecord;

namespace {

std::string name_of_row(const monitor::KernelRow& k, const RunRecord& run) {
  const bool several = std::ranges::any_of(run.kernels, [&](const auto& other) { return other.device != k.device; });
  return several ? cat(k.name, " (", k.device, ')') : k.name;
}

}  // namespace

Section kernel_section(const RunRecord& run, const Screen& screen) {
  if (run.kernels.empty()) return {};
  constexpr std::size_t most = 12, least_bar = 12, most_bar = 40;
  const bool wide = screen.columns >= 70, narrow = screen.columns < 50;
  const std::size_t numbers = 1 + (narrow ? 8 : 8 + 12 + 10) + (wide ? 10 + 1 + least_bar : 0);
  const std::size_t room = screen.columns - std::min(screen.columns, numbers);
  std::size_t name_columns = 16;
  for (const auto& k : run.kernels | std::views::take(most)) name_columns = std::max(name_columns, columns_of(name_of_row(k, run)) + 2);
  name_columns = wide ? std::min(name_columns, room) : room;
  const std::size_t bar_columns = std::min(least_bar + room - name_columns, most_bar);
  Section section{{}, 4, 2};
  const auto row = [&](const std::string& name, const std::array<std::string, 4>& cells, Colour colour, double share) {
    Line line;
    line.add(cat(' ', shortened(name, name_columns - std::min<std::size_t>(name_columns, 2))), colour).pad_to(name_columns);
    if (!narrow) line.right(cells[0], 12, colour).right(cells[1], 10, colour);
    if (wide) line.right(cells[2], 10, colour);
    line.right(cells[3], 8, colour);
    if (wide && share >= 0) line.add(" ").add(share_bar(share, bar_columns), Colour::cyan);
    section.lines.push_back(line);
  };
  row("kernel", {"launches", "time", "each", "share"}, Colour::faint, -1);
  for (const auto& k : run.kernels | std::views::take(most))
    row(name_of_row(k, run),
        {with_commas(k.launches), k.timed > 0 ? duration_text(k.device_ms / 1e3) : "-", k.timed > 0 ? duration_text(k.mean_us / 1e6) : "-",
         percent_text(k.share)},
        Colour::plain, k.share);
  return section;
}

}  // namespace tidepool::cli
