#include "platform/utf8.h"

namespace tidepool::inline v0 {

char32_t next_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  text.remove_prefix(1);
  if (first < 0x80) return first;
  const std::size_t following = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4 || text.size() < following) return replacement_character;
  char32_t code = first & (0x3FU >> following);
  for (std::size_t i = 0; i < following; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80) return replacement_character;
    code = (code << 6) | (byte & 0x3FU);
  }
  // Longer than need be, half of a pair, or past the end of what there is.
  constexpr char32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (code < least[following] || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return replacement_character;
  text.remove_prefix(following);
  return code;
}

void append_utf8(std::string& to, char32_t code_point) {
  const auto byte = [&](char32_t bits) { to += static_cast<char>(bits); };
  if (code_point < 0x80) return byte(code_point);
  if (code_point < 0x800) {
    byte(0xC0 | (code_point >> 6));
  } else if (code_point < 0x10000) {
    byte(0xE0 | (code_point >> 12));
    byte(0x80 | ((code_point >> 6) & 0x3F));
  } else {
    byte(0xF0 | (code_point >> 18));
    byte(0x80 | ((code_point >> 12) & 0x3F));
    byte(0x80 | ((code_point >> 6) & 0x3F));
  }
  byte(0x80 | (code_point & 0x3F));
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) append_utf8(valid, next_code_point(text));
  return valid;
}

}  // namespace tidepool::inline v0
