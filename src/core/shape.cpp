#include <tidepool/error.h>
#include <tidepool/shape.h>

#include "platform/cat.h"

#include <algorithm>
#include <ostream>

namespace tidepool::inline v0 {

Shape::Shape(std::span<const std::int64_t> sizes) {
  start(sizes.size());
  std::ranges::copy(sizes, sizes_.begin());
}

void Shape::start(std::size_t rank) {
  if (rank > max_rank) throw ShapeError("shape", cat("got ", rank, " axes; a tensor has at most ", max_rank));
  rank_ = static_cast<std::uint8_t>(rank);
}

void Shape::too_large() { throw ShapeError("shape", "a size does not fit into 64 bits"); }

namespace {
// By itself: the text's frame is no matter of every access.
[[noreturn, gnu::cold, gnu::noinline]] void no_such_axis(const Shape& shape, std::int64_t axis) {
  throw ShapeError("shape", cat("axis ", axis, " is out of range for ", shape));
}
}  // namespace

std::int64_t Shape::operator[](std::int64_t axis) const {
  const std::int64_t from_start = axis < 0 ? axis + rank_ : axis;
  if (from_start < 0 || from_start >= rank_) no_such_axis(*this, axis);
  return sizes_[static_cast<std::size_t>(from_start)];
}

std::int64_t Shape::odd_numel() const {
  std::int64_t product = 1;
  bool overflow = false, zero = false;
  for (const std::int64_t size : *this) {
    if (size < 0) throw ShapeError("shape", cat(*this, " has a negative size"));
    if (size == 0)
      zero = true;
    else
      overflow |= __builtin_mul_overflow(product, size, &product);
  }
  if (zero) return 0;
  if (overflow) throw ShapeError("shape", cat(*this, " has more elements than 64 bits can count"));
  return product;
}

std::string Shape::str() const { return cat(*this); }

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '[';
  for (const std::int64_t* size = shape.begin(); size != shape.end(); ++size) out << (size == shape.begin() ? "" : ", ") << *size;
  return out << ']';
}

}  // namespace tidepool::inline v0
