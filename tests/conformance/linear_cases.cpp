#include <cmath>

#include "conformance/cases.h"

namespace tidepool::conformance {

namespace {

Case layer(std::int64_t n, std::int64_t in, std::int64_t out, Activation activation, bool bias, bool view = false) {
  return {.shape = {n, in}, .other = {out, in}, .options = {static_cast<std::int64_t>(activation), bias ? 1 : 0}, .view = view};
}

Activation activation_of(const Case& c) { return static_cast<Activation>(c.options[0]); }

double activated(double x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return x <= 0 ? 0 : x;
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::tanh:
      return std::tanh(x);
    case Activation::gelu:
      return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    default:
      return x;
  }
}

Tensor make_layer(Inputs& in, const Case& c) {
  const Tensor x = in.uniform(c.shape), w = in.normal(c.other);
  return c.options[1] ? linear(x, w, in.uniform({c.other[0]}), activation_of(c)) : linear(x, w, {}, activation_of(c));
}

// The magnitude stays that of the sums: no activation is steeper than that by much.
RefTensor reference(const RefTensors& in, const Case& c) {
  RefTensor result = matrix_product(in[0], swap_last_axes(in[1]));
  const auto columns = static_cast<std::size_t>(in[1].shape[0]);
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    if (c.options[1]) result.values[i] += in[2].values[i % columns];
    if (c.options[1]) result.magnitudes[i] += std::abs(in[2].values[i % columns]);
    result.values[i] = activated(result.values[i], activation_of(c));
    result.magnitudes[i] += std::abs(result.values[i]);
  }
  return result;
}

}  // namespace

void linear_cases(std::vector<OpCases>& all) {
  using enum Activation;
  all.push_back(
      {.op = "linear",
       .make = make_layer,
       .reference = reference,
       .over = {layer(1, 1, 1, none, true), layer(3, 4, 5, none, false), layer(3, 4, 5, none, true), layer(2, 3, 4, relu, true),
                layer(5, 7, 9, sigmoid, true), layer(6, 16, 8, tanh, false), layer(17, 33, 31, tanh, true),  // small: our own tiles
                layer(40, 50, 60, sigmoid, true),                                                            // large: oneDNN or blocks
                layer(40, 50, 60, relu, false), layer(40, 300, 35, none, true, true), layer(1, 100, 300, relu, true),
                layer(300, 2, 70, relu, true), layer(9, 5, 3, sigmoid, true, true), layer(0, 3, 4, tanh, true), layer(3, 0, 4, tanh, true),
                layer(3, 4, 0, tanh, true), layer(3, 0, 4, none, false)},
       .tolerance = 2e-6});
}

}  // namespace tidepool::conformance
