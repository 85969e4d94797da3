// 0, 0, the type, the rank; the sizes as big-endian u32; the numbers, big-endian.
#include "data/idx.h"

#include <tidepool/error.h>

#include "data/samples.h"
#include "platform/cat.h"

#include <algorithm>
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

struct IdxFile {
  IdxFile(const char* operation, const std::string& path, std::string_view contents)
      : file(operation, path), header(read_header(file)), what(contents) {
    check_promise(file, array());
  }
  ArrayInFile array() const { return {.number = header.number, .order = ByteOrder::big, .sizes = header.sizes, .what = what}; }

  FileReader file;
  IdxHeader header;
  std::string_view what;
};

Rows read_images(IdxFile& images) {
  IdxHeader& header = images.header;
  if (header.sizes.size() == 3) header.sizes.insert(header.sizes.begin() + 1, 1);
  const DType type = header.number == Number::u8 ? DType::u8 : is_whole(header.number) ? DType::i32 : DType::f32;
  return read_rows(images.file, images.array(), type);
}

// Before memory is taken for them. A file that has too few is found out then.
void require_from_zero(const IdxFile& labels) {
  IdxFile again(labels.file.operation(), labels.file.path(), labels.what);
  const std::size_t size = size_of(labels.header.number);
  std::array<std::byte, 16384> piece;
  std::array<std::int32_t, piece.size()> values;
  for (auto left = static_cast<std::size_t>(labels.header.sizes[0]); left > 0;) {
    const std::size_t start = again.file.offset(),
                      got = again.file.read(std::span(piece).first(std::min(left, piece.size() / size) * size));
    const std::span<std::int32_t> whole = std::span(values).first(got / size);
    to_integers(labels.header.number, ByteOrder::big, piece.data(), whole);
    for (std::size_t i = 0; i < whole.size(); ++i)
      if (whole[i] < 0) labels.file.fail(cat("byte ", start + i * size, ": the label ", whole[i], " is below 0"));
    if (whole.empty()) return;
    left -= whole.size();
  }
}

Rows read_labels(IdxFile& labels) {
  const IdxHeader& header = labels.header;
  if (is_whole(header.number) && header.number != Number::u8 && header.sizes.size() == 1) require_from_zero(labels);
  return read_rows(labels.file, labels.array(), is_whole(header.number) ? DType::i32 : DType::f32);
}

}  // namespace

Dataset read_idx(const char* operation, const std::string& images_path, const std::string& labels_path) {
  IdxFile images(operation, images_path, "images"), labels(operation, labels_path, "labels");
  const std::int64_t count = images.header.sizes[0], label_count = labels.header.sizes[0];
  if (count != label_count)
    throw IoError(operation, cat(images_path, " has ", count, " samples, ", labels_path, " has ", label_count,
                                 "; wanted as many of both: do the files belong together?"));
  Rows rows = read_images(images);
  return make_dataset(std::move(rows), read_labels(labels));
}

Dataset idx(const std::string& images_path, const std::string& labels_path) { return read_idx("idx", images_path, labels_path); }

}  // namespace data
}  // namespace tidepool::inline v0
