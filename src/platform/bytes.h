// Numbers as people write them: "12,345"; sizes, "2GiB", and back.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tidepool::inline v0 {

std::string readable_bytes(std::size_t bytes);                  // "1.5 GiB"
std::optional<std::size_t> parse_bytes(std::string_view text);  // "2GiB", "512 MiB", "4096"

std::string with_commas(std::string_view number);  // "-1,234,567.25" of "-1234567.25"
std::string with_commas(std::integral auto number) { return with_commas(std::to_string(number)); }

}  // namespace tidepool::inline v0
