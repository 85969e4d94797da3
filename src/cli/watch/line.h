// A line for a terminal, piece by piece, each with a colour. What comes from elsewhere cannot harm: it is cut to the width, and
// has no control characters left.
//
//     Line line;
//     line.add("loss ", Colour::faint).add(number);
//     std::string text = line.text(columns, colour);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidepool::cli {

enum class Colour : std::uint8_t { plain, strong, faint, red, green, yellow, blue, magenta, cyan };

class Line {
 public:
  Line& add(std::string_view text, Colour colour = Colour::plain);
  Line& pad_to(std::size_t column);                                                      // with blanks; nothing when it is past that
  Line& right(std::string_view text, std::size_t width, Colour colour = Colour::plain);  // at the right end of so many columns
  std::size_t width() const { return width_; }

  // At most so many columns; what does not fit ends with an ellipsis.
  std::string text(std::size_t columns, bool coloured) const;

 private:
  struct Piece {
    std::string text;
    Colour colour;
  };
  std::vector<Piece> pieces_;
  std::size_t width_ = 0;
};

// Columns that a terminal takes for it, as far as can be known.
std::size_t columns_of(char32_t code_point);
std::size_t columns_of(std::string_view text);
// The beginning that fits, with an ellipsis where something is left out.
std::string shortened(std::string_view text, std::size_t columns);

}  // namespace tidepool::cli
