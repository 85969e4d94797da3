#include "platform/one_line.h"

#include "platform/cat.h"

namespace tidepool::inline v0 {

std::string one_line(std::string_view text, std::size_t most) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string line;
  std::size_t whole = 0;  // characters; the next byte may be in the middle of one
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if ((code & 0xc0U) != 0x80U) whole = line.size();
    if (code >= 0x20 && code != 0x7f)
      line += c;
    else
      line.append("\\x") += {digits[code >> 4], digits[code & 15U]};
    if (line.size() > most) return line.substr(0, whole) + "…";
  }
  return line;
}

std::string shown(std::string_view text, std::size_t most) { return cat('\'', one_line(text, most), '\''); }

}  // namespace tidepool::inline v0
