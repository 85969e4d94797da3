// Wrong inputs of operations.
#include "conformance/errors.h"

namespace tidepool::conformance {
namespace {

class OperationErrors : public ErrorTest {};

enum class Takes { floats, numbers, anything };  // numbers: i32 too
struct OneInput {
  std::string name;
  std::function<Tensor(const Tensor&)> call;
  Takes takes = Takes::floats;
};
struct TwoInputs {
  std::string name;
  std::function<Tensor(const Tensor&, const Tensor&)> call;
};

// Each is right for a matrix of floats.
std::vector<OneInput> operations_of_one() {
  return {{"neg", [](const Tensor& a) { return -a; }, Takes::numbers},
          {"square", [](const Tensor& a) { return square(a); }, Takes::numbers},
          {"sqrt", [](const Tensor& a) { return sqrt(a); }},
          {"exp", [](const Tensor& a) { return exp(a); }},
          {"relu", [](const Tensor& a) { return relu(a); }, Takes::numbers},
          {"leaky_relu", [](const Tensor& a) { return leaky_relu(a); }},
          {"sigmoid", [](const Tensor& a) { return sigmoid(a); }},
          {"tanh", [](const Tensor& a) { return tanh(a); }},
          {"add_scalar", [](const Tensor& a) { return a + 1.0F; }, Takes::numbers},
          {"mul_scalar", [](const Tensor& a) { return a * 2.0F; }, Takes::numbers},
          {"div_scalar", [](const Tensor& a) { return a / 2.0F; }, Takes::numbers},
          {"rsub_scalar", [](const Tensor& a) { return 1.0F - a; }, Takes::numbers},
          {"rdiv_scalar", [](const Tensor& a) { return 1.0F / a; }, Takes::numbers},
          {"sum", [](const Tensor& a) { return sum(a); }, Takes::numbers},
          {"sum",
           [](const Tensor& a) {
             return sum(a, {0, 1}, true);
           },
           Takes::numbers},
          {"mean", [](const Tensor& a) { return mean(a); }},
          {"mean", [](const Tensor& a) { return mean(a, -1); }},
          {"clone", [](const Tensor& a) { return a.clone(); }, Takes::anything},
          {"transpose", [](const Tensor& a) { return transpose(a); }, Takes::anything},
          {"broadcast_to",
           [](const Tensor& a) {
             return broadcast_to(a, {2, 2, 3});
           },
           Takes::anything},
          {"reshape", [](const Tensor& a) { return a.reshape({-1}); }, Takes::anything},
          {"flatten", [](const Tensor& a) { return a.flatten(); }, Takes::anything},
          {"slice", [](const Tensor& a) { return a.slice(0, 1); }, Takes::anything}};
}

std::vector<TwoInputs> operations_of_two() {
  return {{"add", [](const Tensor& a, const Tensor& b) { return a + b; }},
          {"sub", [](const Tensor& a, const Tensor& b) { return a - b; }},
          {"mul", [](const Tensor& a, const Tensor& b) { return a * b; }},
          {"div", [](const Tensor& a, const Tensor& b) { return a / b; }},
          {"matmul", [](const Tensor& a, const Tensor& b) { return matmul(a, b); }}};
}

TEST_P(OperationErrors, EmptyAndReleasedTensorsAreNamedSo) {
  for (const auto& [name, call, takes] : operations_of_one()) {
    expect_error<ReleasedError>([&] { call(Tensor()); }, {name + ":", "empty"});
    expect_error<ReleasedError>([&] { call(ended({2, 3})); }, {name + ":", "released", "[2, 3]"});
  }
  const Tensor good = ones({3, 3});
  for (const auto& [name, call] : operations_of_two())
    for (const bool first : {true, false}) {
      const auto with_bad = [&](const Tensor& bad) { return first ? call(bad, good) : call(good, bad); };
      expect_error<ReleasedError>([&] { with_bad(Tensor()); }, {name + ":", "empty"});
      expect_error<ReleasedError>([&] { with_bad(ended({3, 3})); }, {name + ":", "released", "[3, 3]"});
    }
}

TEST_P(OperationErrors, AnotherTypeIsATypeError) {
  const Tensor integer = integers({2, 3}), square = integers({3, 3}), good = ones({3, 3});
  const Tensor bytes = empty({2, 3}, {.dtype = DType::u8});
  for (const auto& [name, call, takes] : operations_of_one()) {
    if (takes == Takes::floats) expect_error<DTypeError>([&] { call(integer); }, {name + ":", "i32", "f32"});
    if (takes != Takes::anything) expect_error<DTypeError>([&] { call(bytes); }, {name + ":", "u8"});
  }
  for (const auto& [name, call] : operations_of_two()) {
    expect_error<DTypeError>([&] { call(square, good); }, {name + ":", "i32", "f32"});
    expect_error<DTypeError>([&] { call(good, square); }, {name + ":", "i32", "f32"});
  }
}

TEST_P(OperationErrors, TensorsOfTwoDevicesDoNotMix) {
  const Tensor here = ones({3, 3}), there = elsewhere({3, 3});
  for (const auto& [name, call] : operations_of_two()) {
    expect_error<DeviceError>([&] { call(here, there); }, {name + ":", id(), "null"});
    expect_error<DeviceError>([&] { call(there, here); }, {name + ":", id(), "null"});
  }
}

TEST_P(OperationErrors, ShapesThatDoNotBroadcastAreBothNamed) {
  const Tensor a = ones({2, 3}), b = ones({4, 3}), c = ones({2});
  for (const auto& [name, call] : operations_of_two()) {
    if (name == "matmul") continue;
    expect_error<ShapeError>([&] { call(a, b); }, {name + ":", "[2, 3]", "[4, 3]"});
    expect_error<ShapeError>([&] { call(c, a); }, {name + ":", "[2, 3]", "[2]"});
  }
}

TEST_P(OperationErrors, MatmulNamesBothShapes) {
  const Tensor a = ones({2, 3}), b = ones({4, 5}), vector = ones({3}), batch = ones({2, 3, 4});
  expect_error<ShapeError>([&] { matmul(a, b); }, {"matmul: inner sizes differ: [2, 3] x [4, 5]"});
  expect_error<ShapeError>([&] { matmul(a, ones({2})); }, {"matmul: inner sizes differ: [2, 3] x [2]"});
  expect_error<ShapeError>([&] { matmul(vector, a); }, {"matmul:", "[2, 3]", "[3]"});
  expect_error<ShapeError>([&] { matmul(a, ones({})); }, {"matmul:", "[2, 3]", "[]"});
  expect_error<ShapeError>([&] { matmul(batch, ones({5, 4, 2})); }, {"matmul:", "[2, 3, 4]", "[5, 4, 2]"});
}

TEST_P(OperationErrors, AxesOutOfRangeAndAxesNamedTwiceAreNamed) {
  const Tensor a = ones({2, 3});
  expect_error<ShapeError>([&] { sum(a, 2); }, {"sum:", "axis 2", "rank 2"});
  expect_error<ShapeError>([&] { sum(a, -3); }, {"sum:", "axis -3", "rank 2"});
  expect_error<ShapeError>([&] { sum(a, {0, 0}); }, {"sum:", "axis 0"});
  expect_error<ShapeError>([&] { sum(a, {1, -1}, true); }, {"sum:", "axis -1"});
  expect_error<ShapeError>([&] { mean(a, 2); }, {"mean:", "axis 2", "rank 2"});
  expect_error<ShapeError>([&] { mean(a, {0, 5}); }, {"mean:", "axis 5"});
  expect_error<ShapeError>([&] { mean(a, {1, 1}); }, {"mean:", "axis 1"});
  expect_error<ShapeError>([&] { a.flatten(2); }, {"flatten:", "axis 2", "rank 2"});
  expect_error<ShapeError>([&] { transpose(ones({3})); }, {"transpose:", "[3]"});
  expect_error<ShapeError>([&] { transpose(ones({})); }, {"transpose:", "[]"});
}

TEST_P(OperationErrors, RowsOutOfRangeAreNamed) {
  const Tensor a = ones({4, 3});
  expect_error<ShapeError>([&] { a.slice(-1, 2); }, {"slice:", "-1", "[4, 3]"});
  expect_error<ShapeError>([&] { a.slice(3, 2); }, {"slice:", "3", "2", "[4, 3]"});
  expect_error<ShapeError>([&] { a.slice(0, 5); }, {"slice: got rows [0, 5) of [4, 3]; wanted 0 <= begin <= end <= 4"});
  expect_error<ShapeError>([&] { ones({}).slice(0, 1); }, {"slice:", "rank 0"});
}

constexpr std::int64_t huge = std::int64_t{1} << 40;

TEST_P(OperationErrors, ReshapeAndBroadcastNameTheShapesTheyCannotMake) {
  const Tensor a = ones({2, 3});
  expect_error<ShapeError>([&] { a.reshape({7}); }, {"reshape:", "[2, 3]", "[7]"});
  expect_error<ShapeError>([&] { a.reshape({4, -1}); }, {"reshape:", "[2, 3]", "[4, -1]"});
  expect_error<ShapeError>([&] { a.reshape({-1, -1}); }, {"reshape:", "[-1, -1]"});
  expect_error<ShapeError>([&] { a.reshape({-2, 3}); }, {"reshape:", "[-2, 3]"});
  expect_error<ShapeError>([&] { a.reshape({huge, huge}); }, {"reshape:", std::to_string(huge)});
  expect_error<ShapeError>([&] { a.reshape({0, -1}); }, {"reshape:", "[0, -1]"});
  expect_error<ShapeError>([&] { broadcast_to(a, {3, 3}); }, {"broadcast_to:", "[2, 3]", "[3, 3]"});
  expect_error<ShapeError>([&] { broadcast_to(a, {3}); }, {"broadcast_to:", "[2, 3]", "[3]"});
  expect_error<ShapeError>([&] { broadcast_to(a, {2, 1}); }, {"broadcast_to:", "[2, 3]", "[2, 1]"});
  expect_error<ShapeError>([&] { broadcast_to(a, {-1, 2, 3}); }, {"broadcast_to:", "[-1, 2, 3]"});
  expect_error<ShapeError>([&] { broadcast_to(ones({}), {huge, huge}); }, {"broadcast_to:", std::to_string(huge)});
}

// Nothing times nothing can be more than 64 bits can count.
TEST_P(OperationErrors, ResultsBeyondAllSizesAreShapeErrors) {
  expect_error<ShapeError>([&] { matmul(zeros({huge, 0}), zeros({0, huge})); }, {"matmul:", std::to_string(huge)});
  expect_error<ShapeError>([&] { sum(zeros({huge, 0, huge}), 1); }, {"sum:", std::to_string(huge)});
  expect_error<ShapeError>([&] { mean(zeros({huge, 0, huge}), 1); }, {"mean:", std::to_string(huge)});
}

TEST_P(OperationErrors, ResultsOfMoreBytesThan64BitsCanCountAreShapeErrors) {
  constexpr std::int64_t half = std::numeric_limits<std::int64_t>::max() / 2;  // in floats, 4 bytes less than 2^64
  const Tensor one = ones({1}), nothing = zeros({half, 0});
  expect_error<ShapeError>([&] { broadcast_to(one, {half}); }, {"broadcast_to: [4611686018427387903] has more elements than any memory"});
  expect_error<ShapeError>([&] { sum(nothing, 1); }, {"sum: [4611686018427387903, 1] has more elements than any memory"});
  expect_error<ShapeError>([&] { nothing.reshape({half, 1}); }, {"reshape: [4611686018427387903, 1] has more elements than any memory"});
}

TEST_P(OperationErrors, ResultsBeyondTheLimitAreOutOfMemory) {
  configure({.memory_limit = 8_MiB});
  const Tensor column = ones({2000, 1}), row = ones({1, 2000});
  for (const auto& [name, call] : operations_of_two()) expect_error<OutOfMemory>([&] { call(column, row); }, {name + ":"});
  expect_error<OutOfMemory>([&] { broadcast_to(row, {2000, 2000}); }, {"broadcast_to:"});
  const Tensor large = ones({1200, 1000});
  for (const auto& [name, call, takes] : operations_of_one())
    if (name != "sum" && name != "mean" && name != "broadcast_to" && name != "reshape" && name != "flatten" && name != "slice")
      expect_error<OutOfMemory>([&] { call(large); }, {name + ":"});
}

INSTANTIATE_TEST_SUITE_P(, OperationErrors, devices_that_compute(), device_name);

}  // namespace
}  // namespace tidepool::conformance
