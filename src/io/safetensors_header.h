// The JSON at the start of a safetensors file.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.h"
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

// The file has been read up to the end of the header, which is this text. It is read twice, so that one which is refused costs next to
// nothing; in between the file is asked whether it has just as many bytes of data as the header describes. Errors name the byte or the key.
SafetensorsHeader parse_safetensors_header(std::span<const char> text, FileReader& file);

std::optional<std::size_t> bits_of(std::string_view dtype);  // of one element; none: no such type
std::string json_string(std::string_view text);              // quoted; std::invalid_argument when it is not UTF-8

}  // namespace tidepool::inline v0
