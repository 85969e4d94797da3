// Random numbers: the same for a seed everywhere, distributed as they should be, new ones in every run of a plan.
#include <algorithm>
#include <cmath>
#include <map>

#include "conformance/backends.h"

namespace tidepool::conformance {
namespace {

struct Draws {
  std::vector<float> uniform, normal, mask;
};

class Random : public BackendTest {
 protected:
  void TearDown() override {
    BackendTest::TearDown();
    manual_seed(0);
  }
  static Draws draw(const TestBackend& backend, std::uint64_t seed, std::int64_t count) {
    const Using use(backend);
    manual_seed(seed);
    const TensorOptions there{.dtype = DType::f32, .device = use.device()};
    const Tensor uniform = rand({count}, there), normal = randn({count}, there);
    return {uniform.to_host<float>(), normal.to_host<float>(), dropout(ones({count}, there), 0.25).to_host<float>()};
  }
};

TEST_P(Random, NumbersAreTheSameOnEveryBackend) {
  for (const std::int64_t count : {1, 5, 70001}) {
    const Draws wanted = draw(plain_cpu(), 42, count), got = draw(*GetParam(), 42, count);
    EXPECT_EQ(got.uniform, wanted.uniform);
    EXPECT_EQ(got.normal, wanted.normal);
    EXPECT_EQ(got.mask, wanted.mask);
  }
}

TEST_P(Random, NumbersStartAgainWithTheSeedOnly) {
  const Using use(*GetParam());
  const TensorOptions there{.dtype = DType::f32, .device = use.device()};
  manual_seed(7);
  const auto first = rand({100}, there).to_host<float>(), second = rand({100}, there).to_host<float>();
  EXPECT_NE(first, second);
  manual_seed(7);
  EXPECT_EQ(rand({100}, there).to_host<float>(), first);
  EXPECT_EQ(rand({100}, there).to_host<float>(), second);
  manual_seed(std::uint64_t{7} << 32);
  EXPECT_NE(rand({100}, there).to_host<float>(), first) << "all 64 bits of the seed count";
}

TEST_P(Random, APlanDrawsNewNumbersInEveryRunAndTheOldOnesAfterTheSeed) {
  const Using use(*GetParam());
  const TensorOptions there{.dtype = DType::f32, .device = use.device()};
  const Tensor x = ones({300}, there);
  Tensor kept;
  manual_seed(3);
  const Plan plan = capture([&] { kept = dropout(x, 0.5); });
  std::vector<std::vector<float>> seen;
  for (int i = 0; i < 3; ++i) {
    plan.run();
    seen.push_back(kept.to_host<float>());
  }
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_NE(seen[1], seen[2]);
  manual_seed(3);
  for (int i = 0; i < 3; ++i) {
    plan.run();
    EXPECT_EQ(kept.to_host<float>(), seen[static_cast<std::size_t>(i)]);
  }
  manual_seed(3);
  EXPECT_EQ(dropout(x, 0.5).to_host<float>(), seen[0]) << "eager code draws what a plan draws";
}

TEST_P(Random, DropoutScalesWhatItKeepsAndItsGradientToo) {
  const Using use(*GetParam());
  const Tensor x = ones({40000}, {.dtype = DType::f32, .device = use.device()}).requires_grad();
  const Tensor y = dropout(x, 0.25);
  y.backward(ones({40000}, {.dtype = DType::f32, .device = use.device()}));
  const auto values = y.to_host<float>();
  EXPECT_EQ(values, x.grad().to_host<float>());
  const auto dropped = std::ranges::count(values, 0.0F), kept = std::ranges::count(values, 1.0F / 0.75F);
  EXPECT_EQ(dropped + kept, 40000);
  EXPECT_NEAR(static_cast<double>(dropped), 10000, 400);
  EXPECT_EQ(sum(dropout(x, 1.0)).item(), 0.0F);
  EXPECT_EQ(dropout(x, 0.5, false).node(), x.node()) << "nothing happens outside training";
}

INSTANTIATE_TEST_SUITE_P(, Random, testing::ValuesIn(backend_pointers()), [](const auto& info) { return info.param->name; });

TEST(RandomNumbers, AreWhatTheGeneratorsAuthorsPublished) {
  // Philox4x32-10 of an all-zero counter and key (Random123's known answers): 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
  manual_seed(0);
  const auto numbers = rand({4}).to_host<float>();
  const std::vector<std::uint32_t> wanted{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(numbers[i], static_cast<float>(wanted[i] >> 8) * 0x1p-24F);
}

TEST(RandomNumbers, AreUniformAndNormal) {
  manual_seed(1);
  constexpr std::int64_t count = 1'000'000;
  const auto uniform = rand({count}).to_host<float>(), normal = randn({count}).to_host<float>();
  std::map<int, int> buckets;
  for (const float u : uniform) {
    ASSERT_TRUE(u >= 0 && u < 1);
    ++buckets[static_cast<int>(u * 10)];
  }
  for (const auto& [bucket, seen] : buckets) EXPECT_NEAR(seen, 100000, 1500) << bucket;
  double mean = 0, square = 0, fourth = 0;
  std::map<int, int> within;
  for (const float z : normal) {
    const auto x = static_cast<double>(z);
    mean += x / count;
    square += x * x / count;
    fourth += x * x * x * x / count;
    for (const int k : {1, 2, 3, 4})
      if (std::abs(x) < k) ++within[k];
  }
  EXPECT_NEAR(mean, 0, 0.005);
  EXPECT_NEAR(square, 1, 0.01);
  EXPECT_NEAR(fourth, 3, 0.05);
  EXPECT_NEAR(within[1], 682689, 2500);
  EXPECT_NEAR(within[2], 954500, 1200);
  EXPECT_NEAR(within[3], 997300, 300);
  EXPECT_NEAR(within[4], 999937, 40);
  manual_seed(0);
}

}  // namespace
}  // namespace tidepool::conformance
