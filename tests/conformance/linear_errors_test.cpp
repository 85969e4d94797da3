// Wrong inputs of linear and of its raw twins.
#include "conformance/errors.h"

namespace tidepool::conformance {
namespace {

class LinearErrors : public ErrorTest {};

TEST_P(LinearErrors, ShapesAreNamed) {
  const Tensor x = ones({2, 3}), w = ones({5, 3}), b = ones({5});
  expect_error<ShapeError>([&] { linear(x, ones({5, 4})); }, {"linear: inner sizes differ", "[2, 3]", "[5, 4]"});
  expect_error<ShapeError>([&] { linear(ones({3}), w); }, {"linear:", "[3]", "[n, in]"});
  expect_error<ShapeError>([&] { linear(x, ones({3})); }, {"linear:", "[3]", "[out, in]"});
  expect_error<ShapeError>([&] { linear(ones({1, 2, 3}), w, b); }, {"linear:", "[1, 2, 3]"});
  expect_error<ShapeError>([&] { linear(x, w, ones({4})); }, {"linear: b is [4]; wanted [5]"});
  expect_error<ShapeError>([&] { linear(x, w, ones({1, 5}), Activation::relu); }, {"linear: b is [1, 5]; wanted [5]"});
}

TEST_P(LinearErrors, TypesAndEmptyTensorsAreNamed) {
  const Tensor x = ones({2, 3}), w = ones({5, 3}), b = ones({5});
  expect_error<DTypeError>([&] { linear(integers({2, 3}), w, b); }, {"linear:", "i32", "f32"});
  expect_error<DTypeError>([&] { linear(x, integers({5, 3}), b); }, {"linear:", "i32", "f32"});
  expect_error<DTypeError>([&] { linear(x, w, integers({5})); }, {"linear:", "i32", "f32"});
  expect_error<ReleasedError>([&] { linear(Tensor(), w, b); }, {"linear:", "empty"});
  expect_error<ReleasedError>([&] { linear(x, Tensor(), b); }, {"linear:", "empty"});
  expect_error<ReleasedError>([&] { linear(ended({2, 3}), w, b); }, {"linear:", "released"});
  expect_error<ReleasedError>([&] { linear(x, w, ended({5})); }, {"linear:", "released", "[5]"});
}

TEST_P(LinearErrors, BatchesThatDoNotGoTogetherAreNamed) {
  expect_error<ShapeError>([&] { matmul(ones({2, 3, 4}), ones({3, 4, 5})); }, {"matmul: batch sizes", "[2, 3, 4]", "[3, 4, 5]"});
  expect_error<ShapeError>([&] { matmul(ones({2, 3, 4}), ones({5, 2})); }, {"matmul: inner sizes differ: [2, 3, 4] x [5, 2]"});
  expect_error<ShapeError>([&] { matmul(ones({3}), ones({4})); }, {"matmul: inner sizes differ: [3] x [4]"});
  expect_error<ShapeError>([&] { matmul(ones({}), ones({4})); }, {"matmul:", "[]", "[4]"});
}

TEST_P(LinearErrors, RawTwinsCheckTheirOutputs) {
  const Tensor x = ones({2, 3}), w = ones({5, 3}), b = ones({5}), y = ones({2, 5}), dy = ones({2, 5});
  constexpr Activation relu = Activation::relu;
  expect_error<ShapeError>([&] { raw::linear_fwd(x, w, b, relu, ones({2, 4})); }, {"linear_fwd: y is [2, 4]; wanted [2, 5]"});
  expect_error<DTypeError>([&] { raw::linear_fwd(x, w, b, relu, integers({2, 5})); }, {"linear_fwd: y", "i32", "f32"});
  expect_error<ShapeError>([&] { raw::linear_bwd(dy, x, w, y, relu, ones({2, 4}), {}, {}); }, {"linear_bwd: dx is [2, 4]; wanted [2, 3]"});
  expect_error<ShapeError>([&] { raw::linear_bwd(dy, x, w, y, relu, {}, ones({3, 5}), {}); }, {"linear_bwd: dw is [3, 5]"});
  expect_error<ShapeError>([&] { raw::linear_bwd(dy, x, w, y, relu, {}, {}, ones({4})); }, {"linear_bwd: db is [4]; wanted [5]"});
  expect_error<ShapeError>([&] { raw::linear_bwd(ones({2, 4}), x, w, y, relu, {}, {}, b); }, {"linear_bwd: dy is [2, 4]"});
  expect_error<ReleasedError>([&] { raw::linear_bwd(dy, x, w, {}, relu, {}, {}, b); }, {"linear_bwd:", "empty"});
  expect_error<ShapeError>([&] { raw::activation_bwd(relu, y, dy, ones({5, 2})); }, {"activation_bwd: dx is [5, 2]; wanted [2, 5]"});
  expect_error<ShapeError>([&] { raw::add_bias(y, ones({2}), dy); }, {"add_bias: b is [2]; wanted [5]"});
  expect_error<ShapeError>([&] { raw::add_bias(y, b, x); }, {"add_bias: y is [2, 3]; wanted [2, 5]"});
  expect_error<ShapeError>([&] { raw::add_bias(ones({}), b, x); }, {"add_bias: x is []"});
}

TEST_P(LinearErrors, RawTwinsRefuseOutputsThatShareMemory) {
  const Tensor x = ones({3, 3}), w = ones({3, 3}), b = ones({3}), y = ones({3, 3}), dy = ones({3, 3}), dx = ones({3, 3});
  constexpr Activation relu = Activation::relu;
  expect_error<ArgumentError>([&] { raw::linear_fwd(x, w, b, relu, x); }, {"linear_fwd: y", "shares memory"});
  expect_error<ArgumentError>([&] { raw::linear_fwd(x, w, x.slice(0, 1).flatten(), relu, x); }, {"linear_fwd: y", "shares memory"});
  expect_error<ArgumentError>([&] { raw::linear_bwd(dy, x, w, y, relu, dy, {}, {}); }, {"linear_bwd: dx", "shares memory"});
  expect_error<ArgumentError>([&] { raw::linear_bwd(dy, x, w, y, relu, dx, dx, {}); }, {"linear_bwd: dw", "shares memory"});
  expect_error<ArgumentError>([&] { raw::activation_bwd(relu, y, dy, dy); }, {"activation_bwd: dx", "shares memory"});
  expect_error<ArgumentError>([&] { raw::add_bias(x, b, x); }, {"add_bias: y", "shares memory"});
}

TEST_P(LinearErrors, RawTwinsSayWhyGeluHasNoGradientFromItsOutput) {
  const Tensor x = ones({2, 3}), w = ones({5, 3}), y = ones({2, 5}), dy = ones({2, 5}), dx = ones({2, 3});
  expect_error<ArgumentError>([&] { raw::linear_bwd(dy, x, w, y, Activation::gelu, dx, {}, {}); }, {"linear_bwd:", "gelu", "output"});
  expect_error<ArgumentError>([&] { raw::activation_bwd(Activation::gelu, y, dy, ones({2, 5})); }, {"activation_bwd:", "gelu", "output"});
}

INSTANTIATE_TEST_SUITE_P(, LinearErrors, devices_that_compute(), device_name);

}  // namespace
}  // namespace tidepool::conformance
