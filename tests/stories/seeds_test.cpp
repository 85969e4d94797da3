// What the documents that Tidepool grew from ask to see.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Seeds : public OnEveryDevice {};
class SeedsSlow : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, Seeds, devices_for_tests(), device_name);
INSTANTIATE_TEST_SUITE_P(On, SeedsSlow, testing::Values("vulkan:0"), device_name);

TEST_P(Seeds, TenMegabytesToTheDeviceAndBackAreExactAndTakeLessThanASecond) {
  std::vector<float> values(10'000'000 / sizeof(float));
  std::mt19937 random(1);
  for (float& v : values) v = static_cast<float>(random()) / 1e9F - 2.0F;
  zeros({1});  // opens the device
  const auto start = std::chrono::steady_clock::now();
  const Tensor t = from_host(values, {static_cast<std::int64_t>(values.size())});
  const std::vector<float> back = t.to_host<float>();
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_TRUE(back == values);
  EXPECT_LT(seconds, 1.0);
}

TEST_P(Seeds, BytesAndIntegersComeBackExactly) {
  std::vector<std::uint8_t> bytes(1'000'003);
  std::vector<std::int32_t> numbers(100'003);
  std::mt19937 random(2);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
  for (auto& n : numbers) n = static_cast<std::int32_t>(random());
  EXPECT_TRUE(from_host(bytes, {1'000'003}).to_host<std::uint8_t>() == bytes);
  EXPECT_TRUE(from_host(numbers, {100'003}).to_host<std::int32_t>() == numbers);
}

// Ten tensors of 1 MB, and so many rounds of mean(square(t)) over all of them.
void rounds_of_mean_square(int rounds, bool computes) {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 10; ++i) tensors.push_back(full({250'000}, static_cast<float>(i)));
  sync();
  const MemoryStats start = memory();
  std::size_t after_round_one = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<float> means;
    tidy([&] {
      for (const Tensor& t : tensors) means.push_back(mean(square(t)).item());
    });
    const MemoryStats now = memory();
    if (round == 0) after_round_one = now.reserved_bytes;
    ASSERT_EQ(now.tensors, start.tensors) << "after round " << round;
    ASSERT_EQ(now.live_bytes, start.live_bytes) << "after round " << round;
    ASSERT_LE(static_cast<double>(now.reserved_bytes), 1.1 * static_cast<double>(after_round_one)) << "after round " << round;
    if (computes) {
      for (std::size_t i = 0; i < 10; ++i) ASSERT_FLOAT_EQ(means[i], static_cast<float>(i * i));
    }
  }
}

TEST_P(Seeds, RoundsOfMeanSquareInsideTidyLeaveMemoryAsItWas) { rounds_of_mean_square(id() == "vulkan:0" ? 100 : 1000, computes()); }

TEST_P(SeedsSlow, AThousandRoundsOfMeanSquareInsideTidyLeaveMemoryAsItWas) { rounds_of_mean_square(1000, computes()); }

// Ten batches of 1 MB: there, squared and averaged, and back.
TEST_P(Seeds, TenBatchesOfAMegabyteTakeLessThanTwoSeconds) {
  const std::vector<float> values(1'000'000 / sizeof(float), 3.0F);
  zeros({1});  // opens the device
  const auto start = std::chrono::steady_clock::now();
  std::vector<Tensor> means;
  for (int i = 0; i < 10; ++i) means.push_back(tidy([&] { return mean(square(from_host(values, {250'000}))); }));
  for (const Tensor& mean : means) expect_all(mean, 9.0F);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 2.0);
}

// The least of a few tries: others may be busy on this machine. A software device shares its cores with them, and gets more time.
TEST_P(Seeds, FiveProductsAtOnceTakeLessThanASecond) {
  const Tensor a = full({512, 512}, 0.5F), b = full({512, 512}, 0.25F);
  matmul(a, b);  // makes what is made once
  sync();
  std::vector<Tensor> products(5);
  double least = 1e9;
  for (int i = 0; i < 5 && least >= 1.0; ++i) {
    const auto start = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> threads;
      for (Tensor& product : products) threads.emplace_back([&] { product = matmul(a, b); });
    }
    sync();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  EXPECT_LT(least, id() == "vulkan:0" ? 4.0 : 1.0);
  for (const Tensor& product : products) expect_all(product, 64.0F);
}

TEST_P(Seeds, AWrongMatmulShapeIsAShapeErrorAndTheNextOperationWorks) {
  const Tensor a = ones({2, 3}), b = ones({4, 5}), c = ones({3, 4});
  const MemoryStats before = memory();
  EXPECT_EQ(message_of<ShapeError>([&] { matmul(a, b); }), "matmul: inner sizes differ: [2, 3] x [4, 5]");
  EXPECT_EQ(memory().tensors, before.tensors);
  EXPECT_EQ(memory().live_bytes, before.live_bytes);
  expect_all(matmul(a, c), 3.0F);
}

TEST_P(Seeds, FourGigabytesBeyondTheLimitAreOutOfMemoryAndTheNextOperationWorks) {
  configure({.memory_limit = 1_GiB});
  EXPECT_HAS(message_of<OutOfMemory>([] { empty({1'000'000'000}); }), "empty: asked 3.7 GiB");
  expect_all(ones({10}) + 1.0F, 2.0F);
}

}  // namespace
}  // namespace tidepool::inline v0
