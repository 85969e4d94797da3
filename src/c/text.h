// Text in an array of a structure in C.
#pragma once

#include "platform/utf8.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace tidepool::inline v0::c {

// As many whole characters as there is room for, and the 0 at their end.
template <std::size_t room>
void put(std::string_view text, char (&to)[room]) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t before = kept.size();
    append_utf8(kept, next_code_point(text));
    if (kept.size() < room) continue;
    kept.resize(before);
    break;
  }
  *std::copy(kept.begin(), kept.end(), to) = '\0';
}

}  // namespace tidepool::inline v0::c
