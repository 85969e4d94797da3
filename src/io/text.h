// Text of a file in a message: on one line, and not too long.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidepool::inline v0 {

// 'name', with control characters written as \x0a, and cut after so many bytes.
std::string shown(std::string_view text, std::size_t most = 80);

}  // namespace tidepool::inline v0
