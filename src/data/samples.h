// The numbers under a dataset, and how readers of array files make them.
#pragma once

#include <tidepool/data.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "io/file.h"
#include "io/numbers.h"

namespace tidepool::inline v0 {
namespace data {

// All rows of x or of y.
struct Rows {
  DType dtype = DType::f32;
  std::int64_t count = 0;
  Shape shape;  // of one
  std::shared_ptr<const std::byte> numbers;

  std::size_t row_bytes() const { return static_cast<std::size_t>(shape.numel()) * size_of(dtype); }
};

struct Samples {
  Rows x, y;
  std::int64_t classes = 0;
};

Dataset make_dataset(Rows x, Rows y);                     // as many rows; classes are counted
std::int32_t label_of(const Rows& rows, std::int64_t i);  // of i32 rows of rank 0

template <class T>
std::shared_ptr<const std::byte> keep(std::vector<T> values) {
  const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  return {kept, reinterpret_cast<const std::byte*>(kept->data())};
}

// An array as a file has it.
struct ArrayInFile {
  Number number = Number::f32;
  ByteOrder order = ByteOrder::little;
  std::span<const std::int64_t> sizes;  // the first is the count of rows; none is negative, and there is at least one
  std::string_view what;                // "images"
};
// That its numbers may follow.
void check_promise(const FileReader& file, const ArrayInFile& array);
// The rest of the file as rows of this type: u8 for u8 alone, i32 for whole numbers, f32 for all.
Rows read_rows(FileReader& file, const ArrayInFile& array, DType type);

}  // namespace data
}  // namespace tidepool::inline v0
