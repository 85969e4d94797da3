#include "ops/reduce/axes.h"

#include <tidepool/error.h>

#include "ops/reduce/reduce.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

Axes::Axes(const char* operation, const Tensor& a, std::span<const std::int64_t> axes, bool keepdim) : bits(0), keepdim(keepdim) {
  const Shape& shape = usable(operation, a).shape;
  for (const std::int64_t axis : axes) {
    const unsigned bit = 1U << normal_axis(operation, axis, std::max<std::int64_t>(1, shape.rank()));  // a single number has an axis 0 here
    if (bits & bit) throw ShapeError(operation, cat("axis ", axis, " is named twice"));
    bits |= bit;
  }
  const unsigned all = (1U << shape.rank()) - 1;
  bits = axes.empty() ? all : bits & all;
}

double Axes::elements(const Shape& shape) const {
  double count = 1;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis)
    if (bits >> axis & 1U) count *= static_cast<double>(shape[axis]);
  return count;
}

bool is_one_group(unsigned bits, std::int64_t rank) {
  int groups = 0;
  for_each_group(bits, rank, [&](AxisGroup) { ++groups; });
  return groups == 1;
}

Shape with_ones(const Shape& shape, unsigned bits) {
  std::array<std::int64_t, Shape::max_rank> sizes{};
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) sizes[static_cast<std::size_t>(axis)] = bits >> axis & 1U ? 1 : shape[axis];
  return Shape(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(shape.rank())));
}

Shape without(const Shape& shape, unsigned bits) {
  std::array<std::int64_t, Shape::max_rank> sizes{};
  std::size_t rank = 0;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis)
    if (!(bits >> axis & 1U)) sizes[rank++] = shape[axis];
  return Shape(std::span<const std::int64_t>(sizes.data(), rank));
}

Tensor finished(const Tensor& result, const Shape& shape, const Axes& axes) {
  return axes.keepdim || axes.bits == 0 ? result : result.reshape(without(shape, axes.bits));
}

void require_no_empty_axis(const char* operation, const Shape& shape, unsigned bits) {
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis)
    if ((bits >> axis & 1U) && shape[axis] == 0)
      throw ShapeError(operation, cat("got ", shape, ", whose axis ", axis, " is empty; wanted at least one element"));
}

void require_one_of(const char* operation, DType got, std::initializer_list<DType> wanted) {
  std::string names;
  for (const DType type : wanted) {
    if (type == got) return;
    names += cat(names.empty() ? "" : " or ", type);
  }
  throw DTypeError(operation, cat("got a tensor of type ", got, "; wanted ", names));
}

std::int64_t product(const Shape& shape, std::int64_t first, std::int64_t last) {
  return Shape(std::span(shape.begin() + first, shape.begin() + last)).numel();
}

MiddleParams middle_of(const Shape& shape, std::int64_t first, std::int64_t last, float scale) {
  return {.shifts = {},
          .outer = static_cast<std::uint32_t>(product(shape, 0, first)),
          .middle = static_cast<std::uint32_t>(product(shape, first, last)),
          .inner = static_cast<std::uint32_t>(product(shape, last, shape.rank())),
          .scale = scale};
}

ReduceParams cut_at(const Shape& shape, std::int64_t first, std::int64_t last) {
  const MiddleParams p = middle_of(shape, first, last);
  return {.shifts = {}, .outer = p.outer, .middle = p.middle, .inner = p.inner, .parts = 1, .per_part = longest_part};
}

}  // namespace tidepool::inline v0
