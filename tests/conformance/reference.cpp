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

std::size_t index_of(const Shape& shape, const std::vector<std::int64_t>& place) {
  std::size_t index = 0;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis)
    index = index * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(place[static_cast<std::size_t>(axis)]);
  return index;
}

std::vector<std::int64_t> place_of(const Shape& shape, std::size_t index) {
  std::vector<std::int64_t> place(static_cast<std::size_t>(shape.rank()));
  for (std::size_t axis = place.size(); axis-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[static_cast<std::int64_t>(axis)]);
    place[axis] = static_cast<std::int64_t>(index % size);
    index /= size;
  }
  return place;
}

RefTensor permuted(const RefTensor& a, const std::vector<std::int64_t>& axes) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t axis : axes) sizes.push_back(a.shape[axis]);
  RefTensor result = filled(shape_of(sizes), 0);
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    const auto place = place_of(result.shape, i);
    std::vector<std::int64_t> from(place.size());
    for (std::size_t k = 0; k < axes.size(); ++k)
      from[static_cast<std::size_t>(axes[k] < 0 ? axes[k] + a.shape.rank() : axes[k])] = place[k];
    result.values[i] = a.values[index_of(a.shape, from)];
  }
  return result;
}

RefTensor joined(const RefTensors& all, std::int64_t axis) {
  const auto at = static_cast<std::size_t>(axis < 0 ? axis + all[0].shape.rank() : axis);
  std::vector<std::int64_t> sizes(all[0].shape.begin(), all[0].shape.end());
  sizes[at] = 0;
  for (const RefTensor& a : all) sizes[at] += a.shape[static_cast<std::int64_t>(at)];
  RefTensor result = filled(shape_of(sizes), 0);
  std::int64_t before = 0;
  for (const RefTensor& a : all) {
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      auto place = place_of(a.shape, i);
      place[at] += before;
      result.values[index_of(result.shape, place)] = a.values[i];
    }
    before += a.shape[static_cast<std::int64_t>(at)];
  }
  return result;
}

RefTensor part_of(const RefTensor& a, std::int64_t axis, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> sizes(a.shape.begin(), a.shape.end());
  sizes[static_cast<std::size_t>(axis)] = end - begin;
  RefTensor result = filled(shape_of(sizes), 0);
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    auto place = place_of(result.shape, i);
    place[static_cast<std::size_t>(axis)] += begin;
    result.values[i] = a.values[index_of(a.shape, place)];
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
