#include "fuzz/datasets.h"

#include <array>
#include <cstdint>

#include "data/batches.h"
#include "fuzz/target.h"

namespace tidepool::fuzz {

namespace {

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1U) != 0 ? crc >> 1 ^ 0xedb88320U : crc >> 1;
  }
  return ~crc;
}

void append(std::string& to, std::uint32_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(number >> 8 * i & 0xff);
}

}  // namespace

void use(const data::Dataset& dataset) {
  const auto count = static_cast<std::size_t>(dataset.size());
  require(dataset.size() >= 0, "a dataset has fewer than no samples");
  require(dataset.x_bytes().size() == count * static_cast<std::size_t>(dataset.x_shape().numel()) * size_of(dataset.x_dtype()),
          "samples of another shape");
  require(dataset.y_bytes().size() == count * static_cast<std::size_t>(dataset.y_shape().numel()) * size_of(dataset.y_dtype()),
          "targets of another shape");
  constexpr std::int64_t enough = 1000;  // a file may have any number of samples of no bytes
  if (dataset.size() == 0 || dataset.size() > enough) return;
  data::Batches batches("use", dataset, {.batch = 7, .shuffle = true, .seed = 1, .drop_last = false});
  for (std::int64_t i = 0; i < batches.per_epoch(); ++i) batches.next();
}

std::string packed(std::string_view bytes) {
  constexpr std::size_t most = 65535;  // of a block that is stored
  std::string file("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  const std::uint32_t crc = crc32(bytes), size = static_cast<std::uint32_t>(bytes.size());
  do {
    const std::string_view block = bytes.substr(0, most);
    bytes.remove_prefix(block.size());
    file += bytes.empty() ? '\1' : '\0';
    append(file, static_cast<std::uint32_t>(block.size()), 2);
    append(file, ~static_cast<std::uint32_t>(block.size()), 2);
    file += block;
  } while (!bytes.empty());
  append(file, crc, 4);
  append(file, size, 4);
  return file;
}

}  // namespace tidepool::fuzz
