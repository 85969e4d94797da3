#include "cli/watch/line.h"

#include <algorithm>
#include <array>
#include <utility>

#include "platform/utf8.h"

namespace tidepool::cli {

namespace {

struct Range {
  char32_t first, last;
  bool contains(char32_t c) const { return c >= first && c <= last; }
};
// Scripts and pictures that take two columns; marks that take none.
constexpr std::array<Range, 11> wide{{{0x1100, 0x115F},
                                      {0x2E80, 0x303E},
                                      {0x3041, 0xA4CF},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0xFFE0, 0xFFE6},
                                      {0x1F300, 0x1F64F},
                                      {0x1F900, 0x1F9FF},
                                      {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 4> narrow{{{0x300, 0x36F}, {0x200B, 0x200D}, {0xFE00, 0xFE0F}, {0xE0100, 0xE01EF}}};
// What tells a terminal to do something, or turns the direction of what follows.
constexpr std::array<Range, 6> commands{{{0, 0x1F}, {0x7F, 0x9F}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}}};

bool any(const auto& ranges, char32_t c) {
  return std::ranges::any_of(ranges, [c](const Range& range) { return range.contains(c); });
}

std::string harmless(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const char32_t c = next_code_point(text);
    append_utf8(result, any(commands, c) ? replacement_character : c);
  }
  return result;
}

const char* code_of(Colour colour) {
  switch (colour) {
    case Colour::plain:
      return "0";
    case Colour::strong:
      return "1";
    case Colour::faint:
      return "90";
    case Colour::red:
      return "31";
    case Colour::green:
      return "32";
    case Colour::yellow:
      return "33";
    case Colour::blue:
      return "34";
    case Colour::magenta:
      return "35";
    case Colour::cyan:
      return "36";
  }
  return "0";
}

}  // namespace

std::size_t columns_of(char32_t c) { return any(narrow, c) ? 0 : any(wide, c) ? 2 : 1; }

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) columns += columns_of(next_code_point(text));
  return columns;
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  std::string result;
  for (std::size_t used = 1; columns > 0;) {
    const char32_t c = next_code_point(text);
    used += columns_of(c);
    if (used > columns) return result + "…";
    append_utf8(result, c);
  }
  return result;
}

Line& Line::add(std::string_view text, Colour colour) {
  pieces_.push_back({harmless(text), colour});
  width_ += columns_of(pieces_.back().text);
  return *this;
}

Line& Line::pad_to(std::size_t column) { return column > width_ ? add(std::string(column - width_, ' ')) : *this; }

Line& Line::right(std::string_view text, std::size_t width, Colour colour) {
  pad_to(width_ + width - std::min(width, columns_of(text)));
  return add(text, colour);
}

std::string Line::text(std::size_t columns, bool coloured) const {
  std::string result;
  std::size_t used = 0;
  for (const Piece& piece : pieces_) {
    const std::size_t width = columns_of(piece.text);
    // The column of the ellipsis has to be there before anything is left out.
    const bool last_that_fits = used + width >= columns && width_ > columns;
    const std::string shown = last_that_fits ? shortened(piece.text + "…", columns - used) : piece.text;
    if (coloured && piece.colour != Colour::plain && !shown.empty())
      result.append("\x1b[").append(code_of(piece.colour)).append("m").append(shown).append("\x1b[0m");
    else
      result += shown;
    used += width;
    if (last_that_fits) break;
  }
  if (!coloured) result.erase(result.find_last_not_of(' ') + 1);
  return result;
}

}  // namespace tidepool::cli
