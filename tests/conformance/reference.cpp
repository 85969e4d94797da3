#include "conformance/reference.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tidepool::conformance {

namespace {

std::size_t count_of(const Shape& shape) { return static_cast<std::size_t>(shape.numel()); }

Shape shape_of(const std::vector<std::int64_t>& sizes) { return Shape(std::span<const std::int64_t>(sizes)); }

// Walks over all indices of a shape in row-major order.
class Index {
 public:
  explicit Index(const Shape& shape) : shape_(shape), at_(static_cast<std::size_t>(shape.rank()), 0) {}
  std::int64_t operator[](std::int64_t axis) const { return at_[static_cast<std::size_t>(axis)]; }
  void next() {
    for (std::int64_t axis = shape_.rank(); axis-- > 0;) {
      std::int64_t& place = at_[static_cast<std::size_t>(axis)];
      if (++place < shape_[axis]) return;
      place = 0;
    }
  }

 private:
  Shape shape_;
  std::vector<std::int64_t> at_;
};

}  // namespace

double RefTensor::magnitude(std::size_t i) const { return magnitudes.empty() ? std::abs(values[i]) : magnitudes[i]; }

RefTensor filled(const Shape& shape, double value) { return {shape, std::vector<double>(count_of(shape), value), {}}; }

Shape broadcast_of(const Shape& a, const Shape& b) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(std::max(a.rank(), b.rank())));
  for (std::size_t i = 1; i <= sizes.size(); ++i) {
    const auto from_end = static_cast<std::int64_t>(i);
    const std::int64_t na = from_end <= a.rank() ? a[-from_end] : 1, nb = from_end <= b.rank() ? b[-from_end] : 1;
    if (na != 1 && nb != 1 && na != nb) throw std::logic_error("the case's shapes do not broadcast");
    sizes[sizes.size() - i] = na == 1 ? nb : na;
  }
  return shape_of(sizes);
}

RefTensor broadcast(const RefTensor& a, const Shape& shape) {
  if (a.shape == shape) return a;
  RefTensor result = filled(shape, 0);
  Index index(shape);
  for (double& value : result.values) {
    std::int64_t from = 0;
    for (std::int64_t axis = 0; axis < a.shape.rank(); ++axis) {
      const std::int64_t place = a.shape[axis] == 1 ? 0 : index[shape.rank() - a.shape.rank() + axis];
      from = from * a.shape[axis] + place;
    }
    value = a.values[static_cast<std::size_t>(from)];
    index.next();
  }
  return result;
}

RefTensor sum_axes(const RefTensor& a, const std::vector<std::int64_t>& axes, bool keepdim) {
  std::vector<bool> gone(static_cast<std::size_t>(a.shape.rank()), axes.empty());
  for (const std::int64_t axis : axes) gone[static_cast<std::size_t>(axis < 0 ? axis + a.shape.rank() : axis)] = true;
  std::vector<std::int64_t> short_sizes, long_sizes;
  for (std::int64_t axis = 0; axis < a.shape.rank(); ++axis) {
    const bool summed = gone[static_cast<std::size_t>(axis)];
    long_sizes.push_back(summed ? 1 : a.shape[axis]);
    if (!summed) short_sizes.push_back(a.shape[axis]);
  }
  RefTensor result = filled(shape_of(keepdim ? long_sizes : short_sizes), 0);
  result.magnitudes.assign(result.values.size(), 0);
  std::vector<long double> sums(result.values.size(), 0);  // differences of two such sums still mean something
  Index index(a.shape);
  for (const double value : a.values) {
    std::int64_t to = 0;
    for (std::int64_t axis = 0; axis < a.shape.rank(); ++axis)
      if (!gone[static_cast<std::size_t>(axis)]) to = to * a.shape[axis] + index[axis];
    sums[static_cast<std::size_t>(to)] += value;
    result.magnitudes[static_cast<std::size_t>(to)] += std::abs(value);
    index.next();
  }
  std::transform(sums.begin(), sums.end(), result.values.begin(), [](long double sum) { return static_cast<double>(sum); });
  return result;
}

RefTensor matrix_product(const RefTensor& a, const RefTensor& b) {
  const auto m = static_cast<std::size_t>(a.shape[0]), k = static_cast<std::size_t>(a.shape[1]), n = static_cast<std::size_t>(b.shape[1]);
  RefTensor result = filled({a.shape[0], b.shape[1]}, 0);
  result.magnitudes.assign(result.values.size(), 0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < n; ++j) {
        const double term = a.values[i * k + l] * b.values[l * n + j];
        result.values[i * n + j] += term;
        result.magnitudes[i * n + j] += std::abs(term);
      }
  return result;
}

RefTensor swap_last_axes(const RefTensor& a) {
  std::vector<std::int64_t> sizes(a.shape.begin(), a.shape.end());
  std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  RefTensor result = filled(shape_of(sizes), 0);
  const auto rows = static_cast<std::size_t>(a.shape[-2]), columns = static_cast<std::size_t>(a.shape[-1]);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const std::size_t matrix = i / (rows * columns), row = i / columns % rows, column = i % columns;
    result.values[matrix * rows * columns + column * rows + row] = a.values[i];
  }
  return result;
}

RefTensor rows(const RefTensor& a, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> sizes(a.shape.begin(), a.shape.end());
  sizes[0] = end - begin;
  const std::int64_t row = a.shape[0] == 0 ? 0 : static_cast<std::int64_t>(a.values.size()) / a.shape[0];
  return {shape_of(sizes), {a.values.begin() + begin * row, a.values.begin() + end * row}, {}};
}

RefTensor reshaped(RefTensor a, const Shape& shape) {
  a.shape = shape;
  return a;
}

}  // namespace tidepool::conformance
