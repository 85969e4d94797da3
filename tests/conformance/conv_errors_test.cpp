// Convolutions and columns: wrong inputs, and the functions without gradients.
#include "conformance/errors.h"

#include "backend/cpu/instructions.h"
#include "conformance/backends.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tidepool::conformance {
namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

class ConvErrors : public ErrorTest {};

TEST_P(ConvErrors, WrongTensorsAreNamed) {
  const Tensor x = ones({1, 3, 5, 5}), w = ones({3, 3, 3, 3}), b = ones({3});
  using Call = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)>;
  const auto calls = std::vector<std::pair<std::string, Call>>{
      {"conv2d", [](const Tensor& x, const Tensor& w, const Tensor& b) { return conv2d(x, w, b); }},
      {"conv2d_transpose", [](const Tensor& x, const Tensor& w, const Tensor& b) { return conv2d_transpose(x, w, b); }}};
  for (const auto& [name, call] : calls) {
    expect_error<ReleasedError>([&] { call(Tensor(), w, b); }, {name + ":", "empty"});
    expect_error<ReleasedError>([&] { call(x, Tensor(), b); }, {name + ":", "empty"});
    expect_error<ReleasedError>([&] { call(x, w, ended({3})); }, {name + ":", "released"});
    expect_error<DTypeError>([&] { call(integers({1, 3, 5, 5}), w, b); }, {name + ":", "i32", "f32"});
    expect_error<DTypeError>([&] { call(x, w, integers({3})); }, {name + ":", "i32", "f32"});
    expect_error<DeviceError>([&] { call(x, elsewhere({3, 3, 3, 3}), b); }, {name + ":", id(), "null"});
    expect_error<ShapeError>([&] { call(ones({3, 5, 5}), w, b); }, {name + ":", "[3, 5, 5]"});
    expect_error<ShapeError>([&] { call(x, ones({3, 3, 3}), b); }, {name + ":", "[3, 3, 3]"});
    expect_error<ShapeError>([&] { call(ones({1, 4, 5, 5}), w, b); }, {name + ":", "[1, 4, 5, 5]", "[3, 3, 3, 3]"});
    expect_error<ShapeError>([&] { call(x, w, ones({4})); }, {name + ":", "bias", "[4]", "[3]"});
    expect_error<ShapeError>([&] { call(x, zeros({3, 3, 0, 3}), b); }, {name + ":", "[3, 3, 0, 3]"});
  }
}

TEST_P(ConvErrors, WrongOptionsAreNamed) {
  const Tensor x = ones({1, 3, 5, 5}), w = ones({3, 3, 3, 3});
  expect_error<ArgumentError>([&] { conv2d(x, w, {}, {.stride = 0}); }, {"conv2d:", "stride is 0"});
  expect_error<ArgumentError>([&] { conv2d(x, w, {}, {.padding = -1}); }, {"conv2d:", "padding is -1"});
  expect_error<ArgumentError>([&] { conv2d(x, w, {}, {.dilation = 0}); }, {"conv2d:", "dilation is 0"});
  expect_error<ArgumentError>([&] { conv2d(x, w, {}, {.groups = 0}); }, {"conv2d:", "groups is 0"});
  expect_error<ArgumentError>([&] { conv2d(x, w, {}, {.padding = huge}); }, {"conv2d:", "padding"});
  expect_error<ShapeError>([&] { conv2d(x, w, {}, {.padding = (std::int64_t{1} << 31) - 1}); }, {"conv2d:", "height"});
  expect_error<ShapeError>([&] { conv2d(x, w, {}, {.dilation = 3}); }, {"conv2d:", "height", "7", "5"});
  expect_error<ShapeError>([&] { conv2d(x, w, {}, {.groups = 2}); }, {"conv2d:", "2 groups", "[1, 3, 5, 5]"});
  const std::int64_t large = std::int64_t{1} << 40;  // of nothing there may be any number
  expect_error<ShapeError>([&] { conv2d(zeros({0, 3, large, 1}), w); }, {"conv2d:", std::to_string(large)});
  expect_error<ShapeError>([&] { conv2d(x, zeros({0, 3, large, 1}), {}, {.dilation = 1 << 30}); }, {"conv2d:", std::to_string(large)});
  expect_error<ShapeError>([&] { conv2d(zeros({0, 3, 1 << 20, 1 << 20}), w); }, {"conv2d:", "1048576"});
  expect_error<ShapeError>([&] { conv2d_transpose(x, zeros({3, 0, large, 1})); }, {"conv2d_transpose:", std::to_string(large)});
  expect_error<ArgumentError>([&] { conv2d_transpose(x, w, {}, {.stride = 0}); }, {"conv2d_transpose:", "stride is 0"});
  expect_error<ArgumentError>([&] { conv2d_transpose(x, w, {}, {.stride = 2, .output_padding = 2}); },
                              {"conv2d_transpose:", "output_padding is 2"});
  expect_error<ShapeError>([&] { conv2d_transpose(x, w, {}, {.padding = 4}); }, {"conv2d_transpose:", "height"});
  expect_error<ShapeError>([&] { conv2d_transpose(x, w, {}, {.groups = 2}); }, {"conv2d_transpose:", "2 groups"});
}

TEST_P(ConvErrors, OfColumnsAreNamed) {
  const Tensor x = ones({1, 2, 4, 5});
  expect_error<ShapeError>([&] { im2col(ones({4, 5})); }, {"im2col:", "[4, 5]"});
  expect_error<DTypeError>([&] { im2col(integers({1, 2, 4, 5})); }, {"im2col:", "i32"});
  expect_error<ArgumentError>([&] { im2col(x, {.kernel = 0}); }, {"im2col:", "kernel is 0"});
  expect_error<ShapeError>([&] { im2col(x, {.kernel = 5}); }, {"im2col:", "height"});
  expect_error<ShapeError>([&] { col2im(ones({1, 18, 7}), {1, 2, 4, 5}); }, {"col2im:", "[1, 18, 7]", "[1, 18, 6]"});
  expect_error<ShapeError>([&] { col2im(ones({1, 18, 6}), {2, 4, 5}); }, {"col2im:", "[2, 4, 5]"});
  expect_error<ShapeError>([&] { col2im(ones({1, 18, 6}), {-1, 2, 4, 5}); }, {"col2im:", "-1"});
  expect_error<ShapeError>([&] { raw::im2col(x, {}, ones({1, 18, 7})); }, {"im2col:", "[1, 18, 7]", "[1, 18, 6]"});
  expect_error<ArgumentError>([&] { raw::col2im(x.reshape({1, 2, 20}), {.kernel = 1}, x); }, {"col2im:", "memory"});
}

TEST_P(ConvErrors, OfFunctionsWithoutGradientsAreNamed) {
  const Tensor x = ones({1, 2, 4, 4}), w = ones({2, 2, 3, 3}), b = ones({2}), y = zeros({1, 2, 4, 4});
  const Conv2dOptions options{.padding = 1};
  expect_error<ShapeError>([&] { raw::conv2d_fwd(x, w, b, {}, y); }, {"conv2d_fwd:", "y is [1, 2, 4, 4]", "[1, 2, 2, 2]"});
  expect_error<ArgumentError>([&] { raw::conv2d_fwd(x, w, b, options, x); }, {"conv2d_fwd:", "memory"});
  expect_error<ShapeError>([&] { raw::conv2d_fwd(x, w, ones({3}), options, y); }, {"conv2d_fwd:", "bias", "[3]"});
  expect_error<ShapeError>([&] { raw::conv2d_bwd_input(y, w, {}, zeros({1, 2, 4, 4})); }, {"conv2d_bwd_input:", "dy is [1, 2, 4, 4]"});
  expect_error<ArgumentError>([&] { raw::conv2d_bwd_input(y, w, options, y); }, {"conv2d_bwd_input:", "memory"});
  expect_error<ShapeError>([&] { raw::conv2d_bwd_weights(y, x, options, ones({2, 1, 3, 3})); }, {"conv2d_bwd_weights:", "[2, 1, 3, 3]"});
  expect_error<ReleasedError>([&] { raw::conv2d_bwd_weights(y, x, options, Tensor()); }, {"conv2d_bwd_weights:", "empty"});
  expect_error<ShapeError>([&] { raw::conv2d_bwd_bias(y, ones({3})); }, {"conv2d_bwd_bias:", "[3]", "[2]"});
  expect_error<DTypeError>([&] { raw::conv2d_bwd_bias(y, integers({2})); }, {"conv2d_bwd_bias:", "i32"});
}

INSTANTIATE_TEST_SUITE_P(, ConvErrors, devices_that_compute(), device_name);

class RawConv : public LibraryTest {};

Tensor counted(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.numel()));
  std::iota(values.begin(), values.end(), -3.0F);
  for (float& value : values) value = 0.1F * static_cast<float>(static_cast<int>(value) % 7);
  return from_host(values, shape);
}

// Into memory that held NaN: every element is written.
TEST_F(RawConv, GivesTheBitsThatGradientsHave) {
  const Conv2dOptions options{.stride = 2, .padding = 1, .groups = 2, .activation = Activation::none};
  const Tensor x = counted({3, 4, 7, 6}).requires_grad(), w = counted({6, 2, 3, 3}).requires_grad(), b = counted({6}).requires_grad();
  const Tensor y = conv2d(x, w, b, options), seed = counted(y.shape());
  y.backward(seed);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto written = [&](const Shape& shape, const auto& write) {
    const Tensor out = full(shape, nan);
    write(out);
    return out.to_host<float>();
  };
  EXPECT_EQ(written(y.shape(), [&](const Tensor& out) { raw::conv2d_fwd(x, w, b, options, out); }), y.to_host<float>());
  EXPECT_EQ(written(x.shape(), [&](const Tensor& out) { raw::conv2d_bwd_input(seed, w, options, out); }), x.grad().to_host<float>());
  EXPECT_EQ(written(w.shape(), [&](const Tensor& out) { raw::conv2d_bwd_weights(seed, x, options, out); }), w.grad().to_host<float>());
  EXPECT_EQ(written(b.shape(), [&](const Tensor& out) { raw::conv2d_bwd_bias(seed, out); }), b.grad().to_host<float>());
}

TEST_F(RawConv, LeavesItsOutputAsItWasWhereGeluFindsNoMemory) {
  const Conv2dOptions options{.activation = Activation::gelu};
  const Tensor x = counted({1, 1, 256, 256}), w = counted({8, 1, 1, 1}), b = counted({8}), y = full({1, 8, 256, 256}, 7.0F);
  cleanup();
  configure({.memory_limit = memory().reserved_bytes + 1_MiB});
  EXPECT_HAS(message_of<OutOfMemory>([&] { raw::conv2d_fwd(x, w, b, options, y); }), "conv2d_fwd:");
  EXPECT_EQ(y.to_host<float>(), std::vector<float>(8 * 256 * 256, 7.0F));
  configure({.memory_limit = 0});
  raw::conv2d_fwd(x, w, b, options, y);
  EXPECT_EQ(y.to_host<float>(), conv2d(x, w, b, options).to_host<float>());
}

TEST_F(RawConv, ColumnsAreThoseOfTheOperations) {
  const Im2colOptions options{.kernel = 2, .stride = 2, .padding = 1};
  const Tensor x = counted({2, 3, 5, 4}), columns = im2col(x, options);
  const Tensor again = zeros_like(columns), image = ones(x.shape());
  raw::im2col(x, options, again);
  EXPECT_EQ(again.to_host<float>(), columns.to_host<float>());
  raw::col2im(columns, options, image);
  EXPECT_EQ(image.to_host<float>(), col2im(columns, x.shape(), options).to_host<float>());
}

struct Results {
  std::vector<float> y, dx, dw, db;
  friend bool operator==(const Results&, const Results&) = default;
};

Results run_large(const Shape& shape, const Shape& weights, const Conv2dOptions& options) {
  const Tensor x = counted(shape).requires_grad(), w = counted(weights).requires_grad(), b = counted({weights[0]}).requires_grad();
  const Tensor y = conv2d(x, w, b, options);
  y.backward(counted(y.shape()));
  return {y.to_host<float>(), x.grad().to_host<float>(), w.grad().to_host<float>(), b.grad().to_host<float>()};
}

void expect_close(const char* what, const std::vector<float>& got, const std::vector<float>& wanted) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  float largest = 0;
  for (const float value : wanted) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], 3e-5F * largest) << what << " at " << i;
}

// Large convolutions go to oneDNN where it is there, whose long sums are less exact than ours; test backends with named instructions have
// our own kernels only.
TEST_F(RawConv, LargeOnesAreTheSameWithOurOwnKernels) {
  const TestBackend own_kernels{.name = "own", .device = "cpu", .threads = 2, .instructions = best_instructions()};
  struct Large {
    Shape x, w;
    Conv2dOptions options;
  };
  for (const Large& c : {Large{{3, 19, 29, 28}, {12, 19, 3, 3}, {.padding = 1}},
                         Large{{2, 32, 40, 39}, {32, 16, 3, 2}, {.stride = 2, .padding = 1, .dilation = 2, .groups = 2}},
                         Large{{4, 16, 33, 35}, {16, 1, 5, 5}, {.padding = 2, .groups = 16, .activation = Activation::tanh}},
                         Large{{1, 1, 90, 91}, {40, 1, 5, 5}, {.activation = Activation::relu}}}) {
    const Results got = run_large(c.x, c.w, c.options);
    EXPECT_EQ(got, run_large(c.x, c.w, c.options)) << "other bits the second time";
    const Using own(own_kernels);
    const Results wanted = run_large(c.x, c.w, c.options);
    expect_close("y", got.y, wanted.y);
    expect_close("dx", got.dx, wanted.dx);
    expect_close("dw", got.dw, wanted.dw);
    expect_close("db", got.db, wanted.db);
  }
}

// NaN in an image reaches the windows that see it and no others, large images included, whoever computes them.
TEST_F(RawConv, NaNStaysWhereItIsSeen) {
  for (const std::int64_t images : {1, 40}) {
    const Tensor x = zeros({images, 8, 16, 16}), w = ones({8, 8, 3, 3});
    std::vector<float> values(static_cast<std::size_t>(x.numel()), 0.25F);
    values[5 * 16 + 7] = std::numeric_limits<float>::quiet_NaN();
    x.copy_from(std::span<const float>(values));
    const std::vector<float> y = conv2d(x, w, {}, {.padding = 1, .activation = Activation::relu}).to_host<float>();
    std::size_t seen = 0;
    for (const float value : y) seen += value != value;
    EXPECT_EQ(seen, 9U * 8U) << images << " images";
  }
}

}  // namespace
}  // namespace tidepool::conformance
