#include <algorithm>
#include <array>
#include <cmath>

#include "cli/watch/figures.h"
#include "cli/watch/sections.h"
#include "memory/block.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::cli {

using monitor::RunRecord;
using monitor::Sample;

namespace {

struct Tag {
  Colour colour;
  const char* sign;  // where there are no colours
};
constexpr std::array<Tag, memory_tags> tags{
    {{Colour::cyan, "█"}, {Colour::green, "▓"}, {Colour::yellow, "▒"}, {Colour::magenta, "░"}, {Colour::blue, "▚"}, {Colour::red, "="}}};

const char* sign_of(std::size_t tag, const Screen& screen) { return screen.colour ? "█" : tags[tag].sign; }
const char* cached_sign(const Screen& screen) { return screen.colour ? "▒" : "-"; }

Line memory_bar(const Sample& s, const Screen& screen) {
  const std::size_t cells = screen.columns - std::min<std::size_t>(screen.columns, 2);
  const std::size_t all = std::max({s.limit > 0 ? s.limit : s.reserved, s.live, std::size_t{1}});
  const auto cells_to = [&](std::size_t bytes) {
    const double share = std::min(static_cast<double>(bytes) / static_cast<double>(all), 1.0);
    return static_cast<std::size_t>(std::llround(share * static_cast<double>(cells)));
  };
  Line line;
  line.add(" ");
  std::size_t bytes = 0, cell = 0;
  const auto fill = [&](std::size_t to, const char* sign, Colour colour) {
    std::string text;
    for (; cell < to; ++cell) text += sign;
    if (!text.empty()) line.add(text, colour);
  };
  for (std::size_t i = 0; i < std::min(s.by_tag.size(), tags.size()); ++i) {
    bytes += std::min(s.by_tag[i], all - bytes);
    fill(cells_to(bytes), sign_of(i, screen), tags[i].colour);
  }
  fill(cells_to(bytes + std::min(s.cached, all - bytes)), cached_sign(screen), Colour::faint);
  fill(cells, "·", Colour::faint);
  return line;
}

// As many lines as it takes.
std::vector<Line> legend(const Sample& s, const Screen& screen) {
  std::vector<Line> lines(1);
  const auto entry = [&](const char* sign, Colour colour, const std::string& text) {
    if (lines.back().width() + 2 + columns_of(text) > screen.columns && lines.back().width() > 0) lines.emplace_back();
    lines.back().add(" ").add(sign, colour).add(text, Colour::faint);
  };
  for (std::size_t i = 0; i < std::min(s.by_tag.size(), tags.size()); ++i)
    if (s.by_tag[i] > 0)
      entry(sign_of(i, screen), tags[i].colour, cat(' ', name_of(static_cast<MemoryTag>(i)), ' ', readable_bytes(s.by_tag[i])));
  entry(cached_sign(screen), Colour::faint, " cached");
  return lines;
}

}  // namespace

Section memory_section(const RunRecord& run, const Screen& screen) {
  if (run.samples.empty()) return {};
  const Sample& s = run.samples.back();
  Line figures;
  figures.add(" memory", Colour::faint).pad_to(label_columns);
  figures.right(readable_bytes(s.live), value_columns, Colour::strong);
  figures.add(s.limit > 0 ? cat("  of ", readable_bytes(s.limit), " allowed") : cat("  of ", readable_bytes(s.reserved), " taken"));
  if (run.forecast.memory_full) figures.add(cat(" · full in ", clock_text(run.forecast.memory_full->seconds)), Colour::red);
  figures.add(cat(" · peak ", readable_bytes(s.peak), " · cached ", readable_bytes(s.cached)), Colour::faint);
  Section section{{figures, memory_bar(s, screen)}, 3, 1};
  for (Line& line : legend(s, screen)) section.lines.push_back(std::move(line));
  return section;
}

}  // namespace tidepool::cli
