// SHA-256, for short texts: what a page's security policy names its own styles by.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidepool::inline v0 {

std::array<std::uint8_t, 32> sha256(std::string_view text);
std::string sha256_base64(std::string_view text);  // as Content-Security-Policy has it

}  // namespace tidepool::inline v0
