// Text from anywhere in a message: on one line, not too long, and without codes that a terminal obeys.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidepool::inline v0 {

// Control characters are written as \x0a; what is longer is cut after so many bytes, never within a character, and ends in "…".
std::string one_line(std::string_view text, std::size_t most = 80);
std::string shown(std::string_view text, std::size_t most = 80);  // 'such'

}  // namespace tidepool::inline v0
