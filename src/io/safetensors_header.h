// The JSON at the start of a safetensors file.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/safetensors.h"

namespace tidepool::inline v0 {

constexpr std::size_t most_safetensors_header = 100'000'000;  // the reference's limit
constexpr std::size_t safetensors_prefix = 8;                 // bytes of the header's size
constexpr std::size_t most_safetensors_metadata = 4096;       // keys; the reference has no limit, and files have a few

struct SafetensorsHeader {
  SafetensorsMetadata metadata;
  std::vector<SafetensorsEntry> entries;  // in the order of their data
  std::vector<std::size_t> by_name;       // sorted
  std::size_t data_bytes = 0;
};

// Calls `fail`, which throws, with a message that names the byte or the key.
using FailWith = std::function<void(std::string_view message)>;
// The text is read twice, so that one which is refused costs next to nothing: `expect` is called in between, with how many bytes of data
// the header describes, and throws where the file has not just these.
SafetensorsHeader parse_safetensors_header(std::span<const char> text, const std::function<void(std::size_t bytes)>& expect,
                                           const FailWith& fail);

std::optional<std::size_t> bits_of(std::string_view dtype);  // of one element; none: no such type
std::string json_string(std::string_view text);              // quoted; std::invalid_argument when it is not UTF-8

}  // namespace tidepool::inline v0
