// Plain double-precision tensors and the few functions that references are written with. Slow and obvious.
#pragma once

#include <tidepool/shape.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidepool::conformance {

struct RefTensor {
  Shape shape = {};
  std::vector<double> values = {};
  // What rounding errors are measured against, where that is not |value|: the sum of the absolute terms, say.
  std::vector<double> magnitudes = {};

  double magnitude(std::size_t i) const;
};
using RefTensors = std::vector<RefTensor>;

RefTensor filled(const Shape& shape, double value);
RefTensor broadcast(const RefTensor& a, const Shape& shape);  // by NumPy's rules
Shape broadcast_of(const Shape& a, const Shape& b);
RefTensor sum_axes(const RefTensor& a, const std::vector<std::int64_t>& axes, bool keepdim);  // no axes: all
RefTensor matrix_product(const RefTensor& a, const RefTensor& b);
std::size_t index_of(const Shape& shape, const std::vector<std::int64_t>& place);
std::vector<std::int64_t> place_of(const Shape& shape, std::size_t index);
RefTensor swap_last_axes(const RefTensor& a);
RefTensor permuted(const RefTensor& a, const std::vector<std::int64_t>& axes);
RefTensor joined(const RefTensors& all, std::int64_t axis);
RefTensor part_of(const RefTensor& a, std::int64_t axis, std::int64_t begin, std::int64_t end);
RefTensor rows(const RefTensor& a, std::int64_t begin, std::int64_t end);
RefTensor reshaped(RefTensor a, const Shape& shape);

template <class F>
RefTensor map(RefTensor a, F&& f) {
  for (double& value : a.values) value = f(value);
  for (double& magnitude : a.magnitudes) magnitude = f(magnitude);
  return a;
}

template <class F>
RefTensor zip(const RefTensor& a, const RefTensor& b, F&& f) {
  const Shape shape = broadcast_of(a.shape, b.shape);
  RefTensor result = broadcast(a, shape);
  const RefTensor other = broadcast(b, shape);
  for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] = f(result.values[i], other.values[i]);
  return result;
}

}  // namespace tidepool::conformance
