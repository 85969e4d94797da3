// 0, 0, the type, the rank; the sizes as big-endian u32; the numbers, big-endian.
#include "data/idx.h"

#include <tidepool/error.h>

#include "data/samples.h"
#include "platform/cat.h"

#include <array>
#include <optional>
#include <vector>

namespace tidepool::inline v0 {
namespace data {

namespace {

std::optional<Number> number_of(std::byte code) {
  switch (std::to_integer<int>(code)) {
    case 0x08:
      return Number::u8;
    case 0x09:
      return Number::i8;
    case 0x0b:
      return Number::i16;
    case 0x0c:
      return Number::i32;
    case 0x0d:
      return Number::f32;
    case 0x0e:
      return Number::f64;
    default:
      return std::nullopt;
  }
}

struct IdxHeader {
  Number number = Number::u8;
  std::vector<std::int64_t> sizes;
};

IdxHeader read_header(FileReader& file) {
  std::array<std::byte, 4> magic{};
  file.read_exactly(magic, "the magic number");
  const std::optional<Number> number = number_of(magic[2]);
  if (magic[0] != std::byte{0} || magic[1] != std::byte{0} || !number)
    file.fail(cat("byte 0: not an idx file: it begins with ", std::to_integer<int>(magic[0]), ' ', std::to_integer<int>(magic[1]), ' ',
                  std::to_integer<int>(magic[2]), "; wanted 0 0 and a type of 8, 9, 11, 12, 13 or 14"));
  const auto rank = std::to_integer<std::int64_t>(magic[3]);
  constexpr std::int64_t most_axes = Shape::max_rank - 1;  // images get a channel
  if (rank < 1 || rank > most_axes) file.fail(cat("byte 3: ", rank, " axes; wanted 1 to ", most_axes));
  IdxHeader header{.number = *number, .sizes = {}};
  for (std::int64_t i = 0; i < rank; ++i) {
    std::array<std::byte, 4> size{};
    file.read_exactly(size, "a size");
    std::int64_t value = 0;
    for (const std::byte byte : size) value = value << 8 | std::to_integer<std::int64_t>(byte);
    header.sizes.push_back(value);
  }
  return header;
}

Rows read_images(const char* operation, const std::string& path) {
  FileReader file(operation, path);
  IdxHeader header = read_header(file);
  if (header.sizes.size() == 3) header.sizes.insert(header.sizes.begin() + 1, 1);
  const DType type = header.number == Number::u8 ? DType::u8 : is_whole(header.number) ? DType::i32 : DType::f32;
  return read_rows(file, {.number = header.number, .order = ByteOrder::big, .sizes = header.sizes, .what = "images"}, type);
}

Rows read_labels(const char* operation, const std::string& path) {
  FileReader file(operation, path);
  const IdxHeader header = read_header(file);
  const std::size_t start = file.offset();
  Rows rows = read_rows(file, {.number = header.number, .order = ByteOrder::big, .sizes = header.sizes, .what = "labels"},
                        is_whole(header.number) ? DType::i32 : DType::f32);
  if (rows.dtype != DType::i32 || rows.shape.rank() != 0) return rows;
  for (std::int64_t i = 0; i < rows.count; ++i)
    if (label_of(rows, i) < 0)
      file.fail(
          cat("byte ", start + static_cast<std::size_t>(i) * size_of(header.number), ": the label ", label_of(rows, i), " is below 0"));
  return rows;
}

}  // namespace

Dataset read_idx(const char* operation, const std::string& images_path, const std::string& labels_path) {
  Rows images = read_images(operation, images_path), labels = read_labels(operation, labels_path);
  if (images.count != labels.count)
    throw IoError(operation, cat(images_path, " has ", images.count, " samples, ", labels_path, " has ", labels.count));
  return make_dataset(std::move(images), std::move(labels));
}

Dataset idx(const std::string& images_path, const std::string& labels_path) { return read_idx("idx", images_path, labels_path); }

}  // namespace data
}  // namespace tidepool::inline v0
