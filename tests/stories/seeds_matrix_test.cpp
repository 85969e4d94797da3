// The matrix interface of the seeds, call by call, as someone uses it who comes from there (docs/seeds.md).
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <cmath>
#include <vector>

#include "support/devices.h"

namespace tp = tidepool;

namespace tidepool::inline v0 {
namespace {

class SeedsMatrix : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, SeedsMatrix, devices_that_compute(), device_name);

std::vector<float> read(const tp::Tensor& t) { return t.to_host<float>(); }

TEST_P(SeedsMatrix, MatricesAreMultipliedAddedAndTurned) {
  const tp::Tensor a = tp::tensor({1, 2, 3, 4}, {2, 2}), b = tp::tensor({5, 6, 7, 8}, {2, 2});
  EXPECT_EQ(read(tp::matmul(a, b)), (std::vector<float>{19, 22, 43, 50}));
  EXPECT_EQ(read(tp::add(a, b)), (std::vector<float>{6, 8, 10, 12}));
  EXPECT_EQ(read(tp::mul(a, b)), (std::vector<float>{5, 12, 21, 32}));
  EXPECT_EQ(read(tp::transpose(tp::tensor({1, 2, 3, 4, 5, 6}, {2, 3}))), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  const tp::Tensor copy = tp::empty({2, 2}), biased = tp::empty({2, 2});
  tp::copy_(copy, a);
  EXPECT_EQ(read(copy), read(a));
  tp::zero_(copy);
  EXPECT_EQ(read(copy), std::vector<float>(4, 0));
  tp::raw::add_bias(a, tp::tensor({10, 20}, {2}), biased);
  EXPECT_EQ(read(biased), (std::vector<float>{11, 22, 13, 24}));
}

TEST_P(SeedsMatrix, ActivationsGoForwardAndBack) {
  const tp::Tensor x = tp::tensor({-1, 0, 2}, {3}), dy = tp::ones({3}), dx = tp::empty({3});
  EXPECT_EQ(read(tp::relu(x)), (std::vector<float>{0, 0, 2}));
  tp::raw::activation_bwd(tp::Activation::relu, tp::relu(x), dy, dx);
  EXPECT_EQ(read(dx), (std::vector<float>{0, 0, 1}));
  const std::vector<float> s = read(tp::sigmoid(x)), t = read(tp::tanh(x));
  tp::raw::activation_bwd(tp::Activation::sigmoid, tp::sigmoid(x), dy, dx);
  const std::vector<float> ds = read(dx);
  tp::raw::activation_bwd(tp::Activation::tanh, tp::tanh(x), dy, dx);
  const std::vector<float> dt = read(dx);
  for (std::size_t i = 0; i < 3; ++i) {
    const float at = i == 0 ? -1.0F : i == 1 ? 0.0F : 2.0F;
    EXPECT_NEAR(s[i], 1 / (1 + std::exp(-at)), 1e-6);
    EXPECT_NEAR(t[i], std::tanh(at), 1e-6);
    EXPECT_NEAR(ds[i], s[i] * (1 - s[i]), 1e-6);
    EXPECT_NEAR(dt[i], 1 - t[i] * t[i], 1e-6);
  }
}

TEST_P(SeedsMatrix, ALinearLayerGoesForwardAndBackWithBiasAndActivation) {
  const tp::Tensor x = tp::tensor({1, 2}, {1, 2}), w = tp::tensor({1, 1, -1, -1}, {2, 2}), b = tp::tensor({0.5F, 1}, {2});
  const tp::Tensor y = tp::empty({1, 2}), dx = tp::empty({1, 2}), dw = tp::empty({2, 2}), db = tp::empty({2});
  tp::raw::linear_fwd(x, w, b, tp::Activation::relu, y);
  EXPECT_EQ(read(y), (std::vector<float>{3.5F, 0}));
  EXPECT_EQ(read(tp::linear(x, w, b, tp::Activation::relu)), read(y));
  tp::raw::linear_bwd(tp::ones({1, 2}), x, w, y, tp::Activation::relu, dx, dw, db);
  EXPECT_EQ(read(dx), (std::vector<float>{1, 1}));
  EXPECT_EQ(read(dw), (std::vector<float>{1, 2, 0, 0}));
  EXPECT_EQ(read(db), (std::vector<float>{1, 0}));
}

TEST_P(SeedsMatrix, ConvolutionsAndPoolingGoForwardAndBack) {
  const tp::Tensor x = tp::arange(16).reshape({1, 1, 4, 4}), w = tp::ones({1, 1, 3, 3}), b = tp::tensor({1}, {1});
  const tp::Tensor y = tp::empty({1, 1, 2, 2}), dx = tp::empty({1, 1, 4, 4}), dw = tp::empty({1, 1, 3, 3}), db = tp::empty({1});
  tp::raw::conv2d_fwd(x, w, b, {}, y);
  EXPECT_EQ(read(y), (std::vector<float>{46, 55, 82, 91}));
  EXPECT_EQ(read(tp::conv2d(x, w, b)), read(y));
  const tp::Tensor dy = tp::ones({1, 1, 2, 2});
  tp::raw::conv2d_bwd_input(dy, w, {}, dx);
  EXPECT_EQ(read(dx), (std::vector<float>{1, 2, 2, 1, 2, 4, 4, 2, 2, 4, 4, 2, 1, 2, 2, 1}));
  tp::raw::conv2d_bwd_weights(dy, x, {}, dw);
  EXPECT_EQ(read(dw), (std::vector<float>{10, 14, 18, 26, 30, 34, 42, 46, 50}));
  tp::raw::conv2d_bwd_bias(dy, db);
  EXPECT_EQ(read(db), std::vector<float>{4});
  const tp::Tensor largest = tp::empty({1, 1, 2, 2}), places = tp::zeros({1, 1, 2, 2}, {.dtype = tp::DType::i32});
  tp::raw::maxpool2d_fwd(x, {.kernel = 2}, largest, places);
  EXPECT_EQ(read(largest), (std::vector<float>{5, 7, 13, 15}));
  EXPECT_EQ(places.to_host<std::int32_t>(), (std::vector<std::int32_t>{5, 7, 13, 15}));
  tp::raw::maxpool2d_bwd(dy, places, dx);
  EXPECT_EQ(read(dx), (std::vector<float>{0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1}));
}

TEST_P(SeedsMatrix, AnAdamStepMovesAgainstTheGradientAndWeightsDecay) {
  const tp::Tensor w = tp::tensor({1, -1}, {2}), g = tp::empty({2}), m = tp::zeros({2}), v = tp::zeros({2});
  tp::raw::mse_grad(w, tp::zeros({2}), 2.0 / 2, g);
  EXPECT_EQ(read(g), (std::vector<float>{1, -1}));
  tp::raw::adam_step(w, g, m, v, {.lr = 0.1, .step = 1});
  EXPECT_NEAR(read(w)[0], 0.9, 1e-6);
  EXPECT_NEAR(read(w)[1], -0.9, 1e-6);
  const tp::Tensor still = tp::ones({2}), m2 = tp::zeros({2}), v2 = tp::zeros({2});
  tp::raw::adam_step(still, tp::zeros({2}), m2, v2, {.lr = 0.1, .weight_decay = 0.5, .step = 1});
  EXPECT_NEAR(read(still)[0], 0.9, 1e-6) << "the decay alone is a gradient";
}

// The training loop of the seeds: a commit for each batch, a sync for each epoch, a cleanup at the end.
TEST_P(SeedsMatrix, XorIsLearnedByHandWithCommitSyncAndCleanup) {
  tp::manual_seed(1);
  const tp::Tensor x = tp::tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), y = tp::tensor({0, 1, 1, 0}, {4, 1});
  const tp::Tensor w1 = tp::randn({8, 2}), b1 = tp::zeros({8}), w2 = tp::randn({1, 8}), b2 = tp::zeros({1});
  const std::vector<tp::Tensor> w{w1, b1, w2, b2};
  std::vector<tp::Tensor> g, m, v;
  for (const tp::Tensor& p : w) {
    g.push_back(tp::zeros_like(p));
    m.push_back(tp::zeros_like(p));
    v.push_back(tp::zeros_like(p));
  }
  const tp::Tensor h = tp::empty({4, 8}), out = tp::empty({4, 1}), dh = tp::empty({4, 8}), dout = tp::empty({4, 1});
  tp::sync();
  const std::size_t reserved = tp::memory().reserved_bytes;
  for (std::int64_t step = 1; step <= 300; ++step) {
    tp::raw::linear_fwd(x, w1, b1, tp::Activation::tanh, h);
    tp::raw::linear_fwd(h, w2, b2, tp::Activation::sigmoid, out);
    tp::raw::mse_grad(out, y, 2.0 / 4, dout);
    tp::raw::linear_bwd(dout, h, w2, out, tp::Activation::sigmoid, dh, g[2], g[3]);
    tp::raw::linear_bwd(dh, x, w1, h, tp::Activation::tanh, {}, g[0], g[1]);
    for (std::size_t i = 0; i < w.size(); ++i) tp::raw::adam_step(w[i], g[i], m[i], v[i], {.lr = 0.05, .step = step});
    const tp::Ticket submitted = tp::commit();
    if (step % 10 == 0) tp::sync();
    if (step == 300) {
      submitted.wait();
      EXPECT_TRUE(submitted.ready());
    }
  }
  EXPECT_LT(tp::mse_loss(out, y).item(), 0.01);
  EXPECT_LE(tp::memory().reserved_bytes, reserved + 1_MiB) << "hundreds of steps take no more memory than one";
  const std::vector<float> learned = read(w1);
  tp::zeros({1'000'000});
  tp::sync();
  EXPECT_GE(tp::memory().cached_bytes, 4'000'000U);
  tp::cleanup();
  EXPECT_LT(tp::memory().cached_bytes, 64_KiB) << "no more than what lies beside tensors that live";
  EXPECT_EQ(read(w1), learned) << "what is in use stays";
}

// The seeds pack parameters into one struct and write kernels by hand: so can a program.
TEST_P(SeedsMatrix, AKernelOfOnesOwnTakesItsParametersInOneStruct) {
  struct Params {
    std::uint32_t rows, cols;
  };
  const tp::Kernel mat_transpose({.name = "mat_transpose",
                                  .glsl = R"(layout(push_constant) uniform Params { uint rows, cols; } p;
                                             layout(binding = 0) readonly buffer A { float a[]; };
                                             layout(binding = 1) buffer B { float b[]; };
                                             void main() {
                                               const uint i = item();
                                               if (i < p.rows * p.cols) b[i % p.cols * p.rows + i / p.cols] = a[i];
                                             })",
                                  .cpu =
                                      [](tp::KernelCall& call) {
                                        const auto [rows, cols] = call.params<Params>();
                                        for (std::uint32_t i = 0; i < rows * cols; ++i)
                                          call.buffer<float>(1)[i % cols * rows + i / cols] = call.buffer<float>(0)[i];
                                      },
                                  .bindings = 2,
                                  .writes = {1}});
  const tp::Tensor a = tp::tensor({1, 2, 3, 4, 5, 6}, {2, 3}), b = tp::empty({3, 2});
  mat_transpose(6, Params{2, 3}, {a, b});
  EXPECT_EQ(read(b), read(tp::transpose(a)));
}

}  // namespace
}  // namespace tidepool::inline v0
