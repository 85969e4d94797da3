// Sizes as people write them: "2GiB" and back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tidepool::inline v0 {

std::string readable_bytes(std::size_t bytes);                  // "1.5 GiB"
std::optional<std::size_t> parse_bytes(std::string_view text);  // "2GiB", "512 MiB", "4096"

}  // namespace tidepool::inline v0
