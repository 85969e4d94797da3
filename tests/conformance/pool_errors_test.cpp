// Pooling: wrong inputs, and the functions without gradients.
#include "conformance/errors.h"

#include <limits>

namespace tidepool::conformance {
namespace {

class PoolErrors : public ErrorTest {};

TEST_P(PoolErrors, WrongTensorsAreNamed) {
  const auto calls = std::vector<std::pair<std::string, std::function<Tensor(const Tensor&)>>>{
      {"max_pool2d", [](const Tensor& x) { return max_pool2d(x); }},
      {"avg_pool2d", [](const Tensor& x) { return avg_pool2d(x); }},
      {"global_avg_pool2d", [](const Tensor& x) { return global_avg_pool2d(x); }}};
  for (const auto& [name, call] : calls) {
    expect_error<ReleasedError>([&] { call(Tensor()); }, {name + ":", "empty"});
    expect_error<ReleasedError>([&] { call(ended({1, 1, 2, 2})); }, {name + ":", "released"});
    expect_error<DTypeError>([&] { call(integers({1, 1, 2, 2})); }, {name + ":", "i32", "f32"});
    expect_error<ShapeError>([&] { call(ones({3, 4, 4})); }, {name + ":", "[3, 4, 4]", "[n, c, h, w]"});
    if (name != "global_avg_pool2d") expect_error<ShapeError>([&] { call(zeros({2, 2, 0, 4})); }, {name + ":", "[2, 2, 0, 4]"});
  }
}

TEST_P(PoolErrors, WrongOptionsAreNamed) {
  const Tensor x = ones({1, 1, 4, 6});
  const auto calls = std::vector<std::pair<std::string, std::function<Tensor(const PoolOptions&)>>>{
      {"max_pool2d", [&](const PoolOptions& o) { return max_pool2d(x, o); }},
      {"avg_pool2d", [&](const PoolOptions& o) { return avg_pool2d(x, o); }}};
  for (const auto& [name, call] : calls) {
    expect_error<ArgumentError>([&] { call({.kernel = 0}); }, {name + ":", "kernel is 0"});
    expect_error<ArgumentError>([&] { call({.kernel = 2, .stride = -1}); }, {name + ":", "stride is -1"});
    expect_error<ArgumentError>([&] { call({.kernel = 2, .padding = -1}); }, {name + ":", "padding is -1"});
    expect_error<ArgumentError>([&] { call({.kernel = 3, .padding = 2}); }, {name + ":", "padding is 2", "3"});
    expect_error<ArgumentError>([&] { call({.kernel = std::numeric_limits<std::int64_t>::max()}); }, {name + ":", "kernel"});
    expect_error<ShapeError>([&] { call({.kernel = 7, .padding = 1}); }, {name + ":", "height", "7", "4"});
    expect_error<ShapeError>([&] { call({.kernel = 5}); }, {name + ":", "height", "5", "4"});
  }
}

TEST_P(PoolErrors, OfFunctionsWithoutGradientsAreNamed) {
  const Tensor x = ones({1, 2, 4, 4}), y = zeros({1, 2, 2, 2}), indices = integers({1, 2, 2, 2});
  expect_error<ShapeError>(
      [&] {
        raw::maxpool2d_fwd(x, {}, zeros({1, 2, 2, 3}), indices);
      },
      {"maxpool2d_fwd:", "[1, 2, 2, 3]", "[1, 2, 2, 2]"});
  expect_error<ShapeError>([&] { raw::maxpool2d_fwd(x, {}, y, integers({2})); }, {"maxpool2d_fwd:", "indices", "[2]"});
  expect_error<DTypeError>([&] { raw::maxpool2d_fwd(x, {}, y, y.clone()); }, {"maxpool2d_fwd:", "f32", "i32"});
  expect_error<ArgumentError>([&] { raw::maxpool2d_fwd(x, {.kernel = 1}, x, integers({1, 2, 4, 4})); }, {"maxpool2d_fwd:", "memory"});
  expect_error<ShapeError>([&] { raw::maxpool2d_bwd(y, indices, zeros({1, 3, 4, 4})); }, {"maxpool2d_bwd:", "[1, 3, 4, 4]"});
  expect_error<DTypeError>([&] { raw::maxpool2d_bwd(y, y, x); }, {"maxpool2d_bwd:", "f32", "i32"});
  expect_error<ArgumentError>([&] { raw::maxpool2d_bwd(y, indices, y); }, {"maxpool2d_bwd:", "memory"});
  expect_error<ReleasedError>([&] { raw::maxpool2d_bwd(y, indices, Tensor()); }, {"maxpool2d_bwd:", "empty"});
}

INSTANTIATE_TEST_SUITE_P(, PoolErrors, devices_that_compute(), device_name);

class MaxPool : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, MaxPool, devices_that_compute(), device_name);

TEST_P(MaxPool, IndicesAreThoseOfTheFirstLargestAndTheLastNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), low = -std::numeric_limits<float>::infinity();
  const Tensor x = tensor({1, 1, 5, 2, nan, 7, low, low,  //
                           1, 0, 2, 5, nan, 9, low, low},
                          {1, 1, 2, 8});
  const Tensor y = zeros({1, 1, 1, 4}), indices = zeros({1, 1, 1, 4}, {.dtype = DType::i32});
  raw::maxpool2d_fwd(x, {.kernel = 2}, y, indices);
  EXPECT_EQ(indices.to_host<std::int32_t>(), (std::vector<std::int32_t>{0, 2, 12, 6}));
  const Tensor dx = ones({1, 1, 2, 8});
  raw::maxpool2d_bwd(tensor({1, 2, 3, 4}, {1, 1, 1, 4}), indices, dx);
  EXPECT_EQ(dx.to_host<float>(), (std::vector<float>{1, 0, 2, 0, 0, 0, 4, 0, 0, 0, 0, 0, 3, 0, 0, 0}));
}

// In vectors too: nothing but ties, in windows that overlap and in windows that do not.
TEST_P(MaxPool, GradientsOfTiesGoToTheFirst) {
  for (const PoolOptions options : {PoolOptions{.kernel = 2}, PoolOptions{.kernel = 3, .stride = 1, .padding = 1}}) {
    const Tensor x = ones({2, 3, 6, 35}).requires_grad();
    const Tensor y = max_pool2d(x, options);
    const Tensor seed = ones(y.shape()), places = zeros(y.shape(), {.dtype = DType::i32}), wanted = zeros(x.shape());
    y.backward(seed);
    raw::maxpool2d_fwd(x.detach(), options, y.detach().clone(), places);
    raw::maxpool2d_bwd(seed, places, wanted);
    EXPECT_EQ(x.grad().to_host<float>(), wanted.to_host<float>());
  }
}

TEST_P(MaxPool, IndicesOutOfRangeAreReported) {
  const Tensor dy = ones({1, 1, 1, 2}), dx = zeros({1, 1, 2, 4});
  const Tensor indices = from_host(std::vector<std::int32_t>{3, 8}, {1, 1, 1, 2});
  raw::maxpool2d_bwd(dy, indices, dx);
  EXPECT_NE(message_of<ArgumentError>([] { sync(); }).find("maxpool2d_bwd: got the index 8"), std::string::npos);
  EXPECT_EQ(dx.to_host<float>()[3], 1.0F);
}

TEST_P(MaxPool, GradientsGatherFromAnyNumberOfWindows) {
  constexpr std::int32_t windows = 70'001;  // more than one work item may look at
  std::vector<std::int32_t> places(windows);
  for (std::int32_t i = 0; i < windows; ++i) places[static_cast<std::size_t>(i)] = i % 3;
  const Tensor dx = full({1, 1, 1, 4}, 9.0F);
  raw::maxpool2d_bwd(ones({1, 1, 1, windows}), from_host(places, {1, 1, 1, windows}), dx);
  EXPECT_EQ(dx.to_host<float>(), (std::vector<float>{23334, 23334, 23333, 0}));
}

}  // namespace
}  // namespace tidepool::conformance
