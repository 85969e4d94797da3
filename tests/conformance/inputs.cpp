#include "conformance/cases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

namespace tidepool::conformance {

namespace {

constexpr double kink_margin = 0.05;  // far more than the step of the finite differences
constexpr std::int64_t odd_offset = 3;

using Limits = std::numeric_limits<float>;
constexpr std::array<float, special_count> special_values{Limits::quiet_NaN(),
                                                          Limits::infinity(),
                                                          -Limits::infinity(),
                                                          -0.0F,
                                                          0.0F,
                                                          (Limits::max)(),
                                                          Limits::lowest(),
                                                          1.0F,
                                                          -2.0F,
                                                          100.0F,
                                                          -200.0F,
                                                          1000.0F,
                                                          -1000.0F,
                                                          2e9F};
constexpr std::array<float, denormal_count> denormal_values{
    Limits::denorm_min(), -Limits::denorm_min(), 1e-39F, -3e-40F, (Limits::min)(), -0.0F};

// As std::uniform_real_distribution, for which clang computes two logarithms for every number.
template <class T>
T uniform_in(T low, T high, std::mt19937_64& random) {
  const T below_one = std::min(static_cast<T>(random()) / static_cast<T>(0x1p64), std::nextafter(T{1}, T{0}));
  return below_one * (high - low) + low;
}

}  // namespace

Inputs::Inputs(const Device& device, const Case& c, std::vector<double> kinks)
    : device_(device), case_(c), kinks_(std::move(kinks)), random_(7) {}

double Inputs::away_from_kinks(double value) const {
  for (const double kink : kinks_)
    if (std::abs(value - kink) < kink_margin) value = value < kink ? kink - kink_margin : kink + kink_margin;
  return value;
}

// On the device, for a case of views in the middle of something larger whose other elements are NaN or out of range.
template <class T>
Tensor Inputs::place(const Shape& shape, const std::vector<T>& values) const {
  if (!case_.view) return from_host(values, shape, device_);
  const T other = std::is_same_v<T, float> ? static_cast<T>(Limits::quiet_NaN()) : T{77};
  std::vector<T> surrounded(odd_offset, other);
  surrounded.insert(surrounded.end(), values.begin(), values.end());
  surrounded.insert(surrounded.end(), 5, other);
  const auto count = static_cast<std::int64_t>(surrounded.size());
  return from_host(surrounded, {count}, device_).slice(odd_offset, count - 5).reshape(shape);
}

template <class Draw>
Tensor Inputs::leaf(const Shape& shape, Draw&& draw) {
  if (next_ < leaves_.size()) return leaves_[next_++];
  std::vector<float> values(static_cast<std::size_t>(shape.numel()));
  std::size_t i = 0;
  for (float& value : values) {
    const std::size_t turn = i++;
    if (case_.values == Values::special)
      value = special_values[turn % special_values.size()];
    else if (case_.values == Values::denormals)
      value = denormal_values[turn % denormal_values.size()];
    else
      value = static_cast<float>(away_from_kinks(draw()));
  }
  numbers_.push_back({shape, {values.begin(), values.end()}, {}});
  leaves_.push_back(place(shape, values).requires_grad());
  return leaves_[next_++];
}

Tensor Inputs::uniform(const Shape& shape, double low, double high) {
  return leaf(shape, [&] { return uniform_in(low, high, random_); });
}

Tensor Inputs::normal(const Shape& shape) {
  std::normal_distribution<double> distribution;
  return leaf(shape, [&] { return distribution(random_); });
}

template <class T>
Tensor Inputs::whole_numbers(const Shape& shape, int low, int high) {
  if (next_ < leaves_.size()) return leaves_[next_++];
  std::uniform_int_distribution<int> distribution(low, high - 1);
  std::vector<T> values(static_cast<std::size_t>(shape.numel()));
  for (T& value : values) value = static_cast<T>(distribution(random_));
  numbers_.push_back({shape, {values.begin(), values.end()}, {}});
  leaves_.push_back(place(shape, values));
  return leaves_[next_++];
}
Tensor Inputs::integers(const Shape& shape, std::int32_t low, std::int32_t high) { return whole_numbers<std::int32_t>(shape, low, high); }
Tensor Inputs::bytes(const Shape& shape, int low, int high) { return whole_numbers<std::uint8_t>(shape, low, high); }

std::vector<float> host_values(const Tensor& tensor) {
  const auto as_floats = [](const auto& values) {
    std::vector<float> floats(values.size());
    std::ranges::transform(values, floats.begin(), [](auto value) { return static_cast<float>(value); });
    return floats;
  };
  if (tensor.dtype() == DType::i32) return as_floats(tensor.to_host<std::int32_t>());
  if (tensor.dtype() == DType::u8) return as_floats(tensor.to_host<std::uint8_t>());
  return tensor.to_host<float>();
}

std::vector<float> seed_values(std::size_t count) {
  std::mt19937_64 random(11);
  std::vector<float> values(count);
  for (float& value : values) value = uniform_in(-1.0F, 1.0F, random);
  return values;
}

Tensor Inputs::seed_like(const Tensor& result) const {
  return place(result.shape(), seed_values(static_cast<std::size_t>(result.numel())));
}

std::string describe(const Case& c) {
  std::ostringstream out;
  out << "{shape " << c.shape << ", other " << c.other;
  if (!c.axes.empty()) {
    out << ", axes";
    for (const std::int64_t axis : c.axes) out << ' ' << axis;
  }
  if (c.keepdim) out << ", keepdim";
  if (c.end != 0) out << ", rows " << c.begin << " to " << c.end;
  if (!c.options.empty()) {
    out << ", options";
    for (const std::int64_t option : c.options) out << ' ' << option;
  }
  if (c.view) out << ", views";
  if (c.values == Values::special) out << ", special values";
  if (c.values == Values::denormals) out << ", denormals";
  out << '}';
  return out.str();
}

}  // namespace tidepool::conformance
