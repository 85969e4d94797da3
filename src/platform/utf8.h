// Text that may be anything, as UTF-8: drivers and files call themselves what they like.
//
//     for (std::string_view rest = text; !rest.empty();) { const char32_t c = next_code_point(rest); … }
#pragma once

#include <string>
#include <string_view>

namespace tidepool::inline v0 {

constexpr char32_t replacement_character = 0xFFFD;

// The first code point, which is taken off `text`; the replacement character for bytes that are none. `text` is not empty.
char32_t next_code_point(std::string_view& text);
void append_utf8(std::string& to, char32_t code_point);

// The same text, with the replacement character for what is not UTF-8.
std::string valid_utf8(std::string_view text);

}  // namespace tidepool::inline v0
