// Which axes a reduction is over, and the forms that every reduction has.
#pragma once

#include "core/op.h"

#include <initializer_list>
#include <span>

namespace tidepool::inline v0 {

class Axes {
 public:
  // All axes; a tensor that cannot be used, or an axis that is not there, is an error of this operation.
  Axes(const char* operation, const Tensor& a) : Axes(operation, a, std::span<const std::int64_t>(), false) {}
  Axes(const char* operation, const Tensor& a, std::int64_t axis, bool keepdim) : Axes(operation, a, std::span(&axis, 1), keepdim) {
    is_one = true;
  }
  Axes(const char* operation, const Tensor& a, std::span<const std::int64_t> axes, bool keepdim);

  unsigned bits;
  bool keepdim;
  bool is_one = false;  // given as a number, not as a list

  double elements(const Shape& shape) const;  // that become one
};

struct AxisGroup {  // neighbours: [first, last)
  std::int64_t first, last;
};
// Groups of neighbouring axes, innermost first; for a single number one group without axes.
template <class Step>
void for_each_group(unsigned bits, std::int64_t rank, Step&& step) {
  for (std::int64_t last = rank; last > 0;) {
    if (!(bits >> (last - 1) & 1U)) {
      --last;
      continue;
    }
    std::int64_t first = last - 1;
    while (first > 0 && (bits >> (first - 1) & 1U)) --first;
    step(AxisGroup{first, last});
    last = first;
  }
  if (rank == 0) step(AxisGroup{0, 0});
}
bool is_one_group(unsigned bits, std::int64_t rank);

Shape with_ones(const Shape& shape, unsigned bits);  // the axes stay, with size 1
inline unsigned bits_of(AxisGroup group) { return (1U << group.last) - (1U << group.first); }
Shape without(const Shape& shape, unsigned bits);
// A result whose axes have size 1, as the caller wants it.
Tensor finished(const Tensor& result, const Shape& shape, const Axes& axes);

void require_no_empty_axis(const char* operation, const Shape& shape, unsigned bits);
void require_one_of(const char* operation, DType got, std::initializer_list<DType> wanted);

#define TIDEPOOL_REDUCTION(name, reduce)                                                                              \
  Tensor(name)(const Tensor& a) { return reduce(a, Axes(#name, a)); }                                                 \
  Tensor(name)(const Tensor& a, std::int64_t axis, bool keepdim) { return reduce(a, Axes(#name, a, axis, keepdim)); } \
  Tensor(name)(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim) {                             \
    return reduce(a, Axes(#name, a, std::span(axes.begin(), axes.size()), keepdim));                                  \
  }

}  // namespace tidepool::inline v0
