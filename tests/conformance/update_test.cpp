// Updates in place, against the same steps in double precision.
#include <algorithm>
#include <cmath>
#include <random>

#include "conformance/backends.h"

namespace tidepool::conformance {
namespace {

// Adam as its paper has it, with the weight decay added to the gradient.
struct ReferenceAdam {
  std::vector<double> w, m, v;

  void step(const std::vector<float>& gradient, const AdamOptions& o) {
    const auto t = static_cast<double>(o.step);
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double g = static_cast<double>(gradient[i]) + o.weight_decay * w[i];
      m[i] = o.beta1 * m[i] + (1 - o.beta1) * g;
      v[i] = o.beta2 * v[i] + (1 - o.beta2) * g * g;
      const double mean = m[i] / (1 - std::pow(o.beta1, t)), square = v[i] / (1 - std::pow(o.beta2, t));
      w[i] -= o.lr * mean / (std::sqrt(square) + o.eps);
    }
  }
};

std::vector<float> draw(std::size_t count, std::mt19937_64& random) {
  std::uniform_real_distribution<float> distribution(-1.0F, 1.0F);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(random);
  return values;
}

class AdamUpdate : public BackendTest {
 protected:
  // Five steps over a stretch that begins at element `first` of its block; the elements around it stay as they were.
  static void expect_agreement(const Device& device, std::int64_t n, std::int64_t first, AdamOptions options) {
    SCOPED_TRACE(testing::Message() << n << " elements from " << first);
    std::mt19937_64 random(9);
    const auto count = static_cast<std::size_t>(n);
    const std::vector<float> start = draw(count + 8, random);
    const Tensor whole = from_host(start, {n + 8}, device), moments = zeros({2, n + 8}, {.device = device});
    const auto part = [&](const Tensor& all) { return all.slice(first, first + n); };
    const Tensor w = part(whole), m = part(moments.slice(0, 1).flatten()), v = part(moments.slice(1, 2).flatten());
    ReferenceAdam reference{
        .w = {start.begin() + first, start.begin() + first + n}, .m = std::vector<double>(count), .v = std::vector<double>(count)};
    for (options.step = 1; options.step <= 5; ++options.step) {
      const std::vector<float> gradient = draw(count, random);
      raw::adam_step(w, from_host(gradient, {n}, device), m, v, options);
      reference.step(gradient, options);
    }
    const auto expect_near = [&](const char* what, const Tensor& got, const std::vector<double>& wanted, double tolerance) {
      const std::vector<float> values = got.to_host<float>();
      for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(values[i], wanted[i], tolerance) << what << " at " << i;
    };
    expect_near("w", w, reference.w, 1e-6);
    expect_near("m", m, reference.m, 1e-6);
    expect_near("v", v, reference.v, 1e-6);
    std::vector<float> after = whole.to_host<float>();
    std::copy_n(start.begin() + first, n, after.begin() + first);
    EXPECT_EQ(after, start) << "elements around it have changed";
  }
};

TEST_P(AdamUpdate, AgreesWithTheReferenceOverSeveralSteps) {
  const Using use(*GetParam());
  for (const std::int64_t count : {0, 1, 7, 8, 9, 63, 64, 65, 127, 1000, 70000}) {
    expect_agreement(use.device(), count, 0, {.lr = 1e-2});
    expect_agreement(use.device(), count, 3, {.lr = 1e-2});
  }
}

TEST_P(AdamUpdate, AddsWeightDecayToTheGradient) {
  const Using use(*GetParam());
  expect_agreement(use.device(), 129, 1, {.lr = 3e-3, .beta1 = 0.8, .beta2 = 0.99, .eps = 1e-6, .weight_decay = 0.1});
}

TEST_P(AdamUpdate, MovesByTheRateInTheFirstStepWhateverTheGradient) {
  const Using use(*GetParam());
  const Tensor w = zeros({3}, {.device = use.device()}), m = zeros_like(w), v = zeros_like(w);
  raw::adam_step(w, tensor({100, -1e-3F, 0}, {3}, use.device()), m, v, {.lr = 0.5});
  const std::vector<float> values = w.to_host<float>();
  EXPECT_NEAR(values[0], -0.5F, 1e-5F);
  EXPECT_NEAR(values[1], 0.5F, 1e-4F);
  EXPECT_EQ(values[2], 0.0F);
}

INSTANTIATE_TEST_SUITE_P(, AdamUpdate, testing::ValuesIn(backend_pointers()), [](const auto& info) { return info.param->name; });

// Moments that decay come to rest there, where a processor takes a hundred times as long; on the CPU an update makes them zero.
TEST(AdamUpdateOnTheCpu, MomentsBelowTheSmallestNormalNumberAreZeroAndOnlyThere) {
  const TensorOptions there{.dtype = DType::f32, .device = device("cpu")};
  constexpr float tiny = 1e-40F;
  for (const std::int64_t n : {1, 16, 50000}) {
    const Tensor w = full({n}, 0.5F, there), g = zeros({n}, there), m = full({n}, tiny, there), v = full({n}, tiny, there);
    raw::adam_step(w, g, m, v, {.lr = 1e-3, .step = 1000});
    for (const Tensor& moments : {m, v})
      for (const float value : moments.to_host<float>()) ASSERT_EQ(value, 0.0F);
    for (const float value : w.to_host<float>()) ASSERT_EQ(value, 0.5F);
    for (const float value : (full({n}, tiny, there) * 2.0F).to_host<float>()) ASSERT_EQ(value, 2 * tiny) << "elsewhere they stay";
  }
}

}  // namespace
}  // namespace tidepool::conformance
