#include "data/samples.h"

#include <tidepool/error.h>

#include "platform/cat.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace tidepool::inline v0 {
namespace data {

namespace {

std::int64_t count_classes(const Rows& y) {
  if (y.dtype != DType::i32 || y.shape.rank() != 0) return 0;
  std::int64_t classes = 0;
  for (std::int64_t i = 0; i < y.count; ++i) {
    const std::int32_t label = label_of(y, i);
    if (label < 0) return 0;
    classes = std::max(classes, std::int64_t{label} + 1);
  }
  return classes;
}

// Elements of the array. Zero sizes do not excuse the others: a row's own size must be countable too.
std::size_t count_elements(const FileReader& file, const ArrayInFile& array) {
  std::int64_t product = static_cast<std::int64_t>(size_of(Number::f64));  // so that bytes of any type can be counted as well
  bool zero = false, overflow = false;
  for (const std::int64_t size : array.sizes) {
    zero |= size == 0;
    overflow |= __builtin_mul_overflow(product, std::max<std::int64_t>(size, 1), &product);
  }
  if (overflow) file.fail(cat("byte ", file.offset(), ": the header before it gives ", array.what, " more bytes than 64 bits can count"));
  return zero ? 0 : static_cast<std::size_t>(product) / size_of(Number::f64);
}

// Piece by piece, so that there is never a second copy of the file.
template <class Out, class Convert>
std::shared_ptr<const std::byte> read_converted(FileReader& file, const ArrayInFile& array, std::size_t count, Convert convert) {
  const std::size_t size = size_of(array.number);
  std::shared_ptr<std::byte> memory = host_memory(file.operation(), count * sizeof(Out), file.path());
  const std::span<Out> all(reinterpret_cast<Out*>(memory.get()), count);
  std::array<std::byte, 32768> piece;
  for (std::size_t done = 0; done < count;) {
    const std::size_t now = std::min(count - done, piece.size() / size), start = file.offset();
    file.read_exactly(std::span(piece).first(now * size), array.what);
    if (const auto odd = convert(array.number, array.order, piece.data(), all.subspan(done, now)))
      file.fail(
          cat("byte ", start + *odd * size, ": the number does not fit ", sizeof(Out) == 4 && std::is_integral_v<Out> ? "i32" : "f32"));
    done += now;
  }
  return memory;
}

}  // namespace

std::int32_t label_of(const Rows& rows, std::int64_t i) {
  std::int32_t label = 0;
  std::memcpy(&label, rows.numbers.get() + static_cast<std::size_t>(i) * sizeof label, sizeof label);
  return label;
}

Dataset make_dataset(Rows x, Rows y) {
  const std::int64_t classes = count_classes(y);
  return Dataset(std::make_shared<const Samples>(Samples{std::move(x), std::move(y), classes}));
}

void check_promise(const FileReader& file, const ArrayInFile& array) {
  file.expect_possible(count_elements(file, array) * size_of(array.number), array.what);
}

Rows read_rows(FileReader& file, const ArrayInFile& array, DType type) {
  Rows rows{.dtype = type, .count = array.sizes[0], .shape = Shape(array.sizes.subspan(1)), .numbers = {}};
  const std::size_t count = count_elements(file, array);
  file.expect_rest(count * size_of(array.number), count * size_of(type), array.what);
  if (type == DType::u8)
    rows.numbers = file.take(count, array.what);
  else if (type == DType::i32)
    rows.numbers = read_converted<std::int32_t>(file, array, count, to_integers);
  else
    rows.numbers = read_converted<float>(file, array, count, to_floats);
  file.expect_end();
  return rows;
}

}  // namespace data
}  // namespace tidepool::inline v0
