// Numbers as files have them, whatever the locale: the shortest text that is read back as the same number.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace tidepool::inline v0::monitor {

template <class Number>
void append_number(std::string& to, Number value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  to.append(text, end);
}

}  // namespace tidepool::inline v0::monitor
