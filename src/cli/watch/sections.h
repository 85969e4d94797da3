// The parts of the screen, each as lines.
#pragma once

#include <vector>

#include "cli/watch/line.h"
#include "cli/watch/view.h"

namespace tidepool::cli {

// Lines that belong together. Those that are last go first when there is no room.
struct Section {
  std::vector<Line> lines;
  std::size_t good = 1, least = 1;  // how many lines are enough; with how many it still says something
};
Section head_section(const monitor::RunRecord& run, const Screen& screen);  // what, where, and how far
Section chart_section(const monitor::RunRecord& run, const Screen& screen);
Section memory_section(const monitor::RunRecord& run, const Screen& screen);
Section note_section(const monitor::RunRecord& run, const Screen& screen);  // anomalies, advice, events
Section kernel_section(const monitor::RunRecord& run, const Screen& screen);

// Names and values that stand below each other; narrow screens have no room for that.
constexpr std::size_t label_columns = 13, value_columns = 9;
constexpr bool has_room(const Screen& screen) { return screen.columns >= 72; }

}  // namespace tidepool::cli
