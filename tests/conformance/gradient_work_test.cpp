// A gradient that nobody asked for is not computed: a step launches less when an input does not want one.
#include "support/devices.h"

#include <functional>
#include <string>

namespace tidepool::conformance {
namespace {

using Two = std::function<Tensor(const Tensor&, const Tensor&)>;

std::int64_t launches(const Two& f, const Shape& x_shape, const Shape& w_shape, bool x_wants) {
  const Tensor x = ones(x_shape).requires_grad(x_wants), w = ones(w_shape).requires_grad();
  const Tensor seed = ones(f(x, w).shape());
  return capture([&] { f(x, w).backward(seed); }).launches();
}

TEST(GradientWork, IsDoneForThoseOnlyWhoWantIt) {
  struct Layer {
    std::string name;
    Two f;
    Shape x, w;
  };
  const Tensor condition = zeros({4, 3}, {.dtype = DType::u8}), bias = ones({5});
  for (const auto& [name, f, x, w] : std::vector<Layer>{
           {"mul", [](const Tensor& a, const Tensor& b) { return a * b; }, {4, 3}, {4, 3}},
           {"where", [&](const Tensor& a, const Tensor& b) { return where(condition, a, b); }, {4, 3}, {4, 3}},
           {"matmul", [](const Tensor& a, const Tensor& b) { return matmul(a, b); }, {4, 3}, {3, 5}},
           {"linear", [&](const Tensor& a, const Tensor& b) { return linear(a, b, bias, Activation::relu); }, {4, 3}, {5, 3}},
           {"conv2d", [&](const Tensor& a, const Tensor& b) { return conv2d(a, b, bias); }, {2, 3, 6, 6}, {5, 3, 3, 3}},
           {"conv2d_transpose", [](const Tensor& a, const Tensor& b) { return conv2d_transpose(a, b, {}); }, {2, 3, 6, 6}, {3, 5, 3, 3}},
           {"concat", [](const Tensor& a, const Tensor& b) { return concat({a, b}, 0); }, {4, 3}, {2, 3}},
           {"mse_loss", [](const Tensor& a, const Tensor& b) { return mse_loss(a, b); }, {4, 3}, {4, 3}},
           {"layer_norm", [](const Tensor& a, const Tensor& b) { return layer_norm(a, b, ones({3})); }, {4, 3}, {3}}})
    EXPECT_LT(launches(f, x, w, false), launches(f, x, w, true)) << name;
}

}  // namespace
}  // namespace tidepool::conformance
