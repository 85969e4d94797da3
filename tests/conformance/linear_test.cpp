// The raw twins of linear against the operation, and matrix products by our own blocks, which oneDNN's would hide.
#include <tidepool/raw.h>

#include <cmath>
#include <random>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/instructions.h"
#include "conformance/backends.h"
#include "support/devices.h"

namespace tidepool::conformance {
namespace {

constexpr TestBackend own_kernels(int threads) { return {.name = "cpu_own", .device = "cpu", .threads = threads, .instructions = avx2}; }

std::vector<float> draw(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(random);
  return values;
}

Tensor drawn(const Shape& shape, unsigned seed) { return from_host(draw(static_cast<std::size_t>(shape.numel()), seed), shape); }

class RawLinear : public LibraryTest {
 protected:
  struct Layer {
    Tensor x = drawn({5, 7}, 1), w = drawn({9, 7}, 2), b = drawn({9}, 3), dy = drawn({5, 9}, 4), y = {};
    explicit Layer(Activation activation) {
      for (const Tensor* leaf : {&x, &w, &b}) leaf->requires_grad();
      y = linear(x, w, b, activation);
      y.backward(dy);
    }
  };
};

constexpr Activation fused[] = {Activation::none, Activation::relu, Activation::sigmoid, Activation::tanh};

TEST_F(RawLinear, GivesTheBitsOfTheOperationAndItsGradients) {
  for (const Activation activation : fused) {
    const Layer layer(activation);
    const Tensor y = empty({5, 9}), dx = empty({5, 7}), dw = empty({9, 7}), db = empty({9});
    raw::linear_fwd(layer.x, layer.w, layer.b, activation, y);
    EXPECT_EQ(y.to_host<float>(), layer.y.to_host<float>());
    raw::linear_bwd(layer.dy, layer.x, layer.w, y, activation, dx, dw, db);
    EXPECT_EQ(dx.to_host<float>(), layer.x.grad().to_host<float>());
    EXPECT_EQ(dw.to_host<float>(), layer.w.grad().to_host<float>());
    EXPECT_EQ(db.to_host<float>(), layer.b.grad().to_host<float>());
  }
}

TEST_F(RawLinear, GoesForwardWithGeluToo) {
  const Layer layer(Activation::gelu);
  const Tensor y = empty({5, 9});
  raw::linear_fwd(layer.x, layer.w, layer.b, Activation::gelu, y);
  EXPECT_EQ(y.to_host<float>(), layer.y.to_host<float>());
}

TEST_F(RawLinear, LeavesItsOutputAsItWasWhereGeluFindsNoMemory) {
  const Tensor x = drawn({512, 8}, 1), w = drawn({512, 8}, 2), y = full({512, 512}, 7.0F);
  cleanup();
  configure({.memory_limit = memory().reserved_bytes + 512_KiB});
  EXPECT_HAS(message_of<OutOfMemory>([&] { raw::linear_fwd(x, w, {}, Activation::gelu, y); }), "linear_fwd:");
  EXPECT_EQ(y.to_host<float>(), std::vector<float>(512 * 512, 7.0F));
  configure({.memory_limit = 0});
  raw::linear_fwd(x, w, {}, Activation::gelu, y);
  EXPECT_EQ(y.to_host<float>(), linear(x, w, {}, Activation::gelu).to_host<float>());
}

TEST_F(RawLinear, ComputesOnlyTheGradientsThatHaveAPlace) {
  const Layer layer(Activation::tanh);
  const Tensor db = empty({9}), dw = empty({9, 7});
  raw::linear_bwd(layer.dy, layer.x, layer.w, layer.y, Activation::tanh, {}, {}, db);
  EXPECT_EQ(db.to_host<float>(), layer.b.grad().to_host<float>());
  raw::linear_bwd(layer.dy, layer.x, layer.w, layer.y, Activation::tanh, {}, dw, {});
  EXPECT_EQ(dw.to_host<float>(), layer.w.grad().to_host<float>());
  raw::linear_bwd(layer.dy, layer.x, layer.w, layer.y, Activation::tanh, {}, {}, {});
}

TEST_F(RawLinear, OfNoRowsHasGradientsOfZeros) {
  const Tensor dw = full({2, 3}, 7.0F), db = full({2}, 7.0F);
  raw::linear_bwd(zeros({0, 2}), zeros({0, 3}), ones({2, 3}), zeros({0, 2}), Activation::relu, zeros({0, 3}), dw, db);
  EXPECT_EQ(dw.to_host<float>(), std::vector<float>(6, 0.0F));
  EXPECT_EQ(db.to_host<float>(), std::vector<float>(2, 0.0F));
}

TEST_F(RawLinear, WithoutABiasIsTheProduct) {
  const Tensor x = drawn({4, 6}, 1), w = drawn({3, 6}, 2), y = empty({4, 3}), biased = empty({4, 3});
  raw::linear_fwd(x, w, {}, Activation::none, y);
  EXPECT_EQ(y.to_host<float>(), matmul(x, transpose(w)).to_host<float>());
  raw::add_bias(y, tensor({1, 2, 3}, {3}), biased);
  EXPECT_EQ(biased.to_host<float>(), (y + tensor({1, 2, 3}, {3})).to_host<float>());
}

TEST_F(RawLinear, ActivationsAreUndoneFromTheirOutput) {
  const Tensor x = drawn({3, 11}, 1), dy = drawn({3, 11}, 2), dx = empty({3, 11});
  x.requires_grad();
  const Tensor y = sigmoid(x);
  y.backward(dy);
  raw::activation_bwd(Activation::sigmoid, y, dy, dx);
  EXPECT_EQ(dx.to_host<float>(), x.grad().to_host<float>());
}

TEST_F(RawLinear, RunsInAPlan) {
  const Layer layer(Activation::relu);
  const Tensor y = zeros({5, 9}), dw = zeros({9, 7});
  const Plan plan = capture([&] {
    raw::linear_fwd(layer.x, layer.w, layer.b, Activation::relu, y);
    raw::linear_bwd(layer.dy, layer.x, layer.w, y, Activation::relu, {}, dw, {});
  });
  plan.run();
  EXPECT_EQ(dw.to_host<float>(), layer.w.grad().to_host<float>());
}

class OwnProduct : public LibraryTest {
 protected:
  static std::vector<float> results(int threads, std::int64_t m, std::int64_t k, std::int64_t n) {
    const TestBackend backend = own_kernels(threads);
    const Using use(backend);
    const Tensor a = drawn({m, k}, 1).requires_grad(), b = drawn({k, n}, 2).requires_grad();
    const Tensor c = matmul(a, b);
    c.backward(drawn({m, n}, 3));
    std::vector<float> all;
    for (const Tensor& tensor : {c, a.grad(), b.grad()}) {
      const std::vector<float> values = tensor.to_host<float>();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }
};

// Several blocks along each axis, none of them whole; forward, and with either operand transposed.
TEST_F(OwnProduct, AgreesWithADoublePrecisionOneWhateverTheThreads) {
  if (best_instructions() < avx2) GTEST_SKIP() << "this processor has no AVX2: run it on one that has";
  constexpr std::int64_t m = 101, k = 261, n = 531;
  const std::vector<float> got = results(2, m, k, n);
  EXPECT_EQ(got, results(1, m, k, n));
  const std::vector<float> a = draw(m * k, 1), b = draw(k * n, 2), d = draw(m * n, 3);
  const auto expect_product = [&](std::size_t first, std::size_t rows, std::size_t columns, std::size_t depth, auto&& left, auto&& right) {
    double worst = 0;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (std::size_t l = 0; l < depth; ++l) sum += static_cast<double>(left(i, l)) * static_cast<double>(right(l, j));
        worst = std::max(worst, std::abs(sum - static_cast<double>(got[first + i * columns + j])));
      }
    EXPECT_LT(worst, 3e-5);
  };
  expect_product(
      0, m, n, k, [&](auto i, auto l) { return a[i * k + l]; }, [&](auto l, auto j) { return b[l * n + j]; });
  expect_product(
      m * n, m, k, n, [&](auto i, auto l) { return d[i * n + l]; }, [&](auto l, auto j) { return b[j * n + l]; });
  expect_product(
      m * n + m * k, k, n, m, [&](auto i, auto l) { return a[l * k + i]; }, [&](auto l, auto j) { return d[l * n + j]; });
}

}  // namespace
}  // namespace tidepool::conformance
