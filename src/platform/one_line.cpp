#include "platform/one_line.h"

namespace tidepool::inline v0 {

std::string one_line(std::string_view text, std::size_t most) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::size_t end = text.size();
  if (end > most) {
    end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;  // never within a character
  }
  std::string line;
  for (const char c : text.substr(0, end)) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code != 0x7f)
      line += c;
    else
      line.append("\\x") += {digits[code >> 4], digits[code & 15U]};
  }
  return line + (end < text.size() ? "…" : "");
}

}  // namespace tidepool::inline v0
