// Many tensors in chunks, as the seeds' GPUCompute has them, with the recovery that they ask for (docs/seeds.md).
#include <gtest/gtest.h>
#include <tidepool/compute.h>
#include <tidepool/tidepool.h>

#include <vector>

#include "support/devices.h"

namespace tp = tidepool;

namespace tidepool::inline v0 {
namespace {

class SeedsChunks : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, SeedsChunks, devices_that_compute(), device_name);

// Item i has i + 1 values of i.
std::vector<std::vector<float>> items(std::size_t count) {
  std::vector<std::vector<float>> all;
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(i + 1, static_cast<float>(i));
  return all;
}
tp::Tensor mean_square(const tp::Tensor& t) { return tp::mean(tp::square(t)); }

TEST_P(SeedsChunks, TensorsGoUpThroughAFunctionAndDownAHundredAtATime) {
  const tp::MemoryStats before = tp::memory();
  std::vector<std::int64_t> done;
  tp::Compute compute({.chunk = 100, .on_progress = [&](const tp::ComputeProgress& progress) { done.push_back(progress.done); }});
  const auto whole = compute.run(items(250), mean_square);
  EXPECT_EQ(done, (std::vector<std::int64_t>{100, 200, 250}));
  ASSERT_EQ(whole.size(), 250U);
  for (std::size_t i = 0; i < 250; ++i) EXPECT_EQ(whole[i], std::vector<float>{static_cast<float>(i * i)}) << i;
  {
    const std::vector<tp::Tensor> up = compute.upload(items(250)), through = compute.map(up, mean_square);
    EXPECT_EQ(compute.download(through), whole);
  }
  EXPECT_EQ(tp::memory().tensors, before.tensors);
  EXPECT_EQ(tp::memory().live_bytes, before.live_bytes);
}

TEST_P(SeedsChunks, AnItemThatFailsIsNamedAndTheOthersAreDelivered) {
  tp::Compute compute({.chunk = 0, .on_error = tp::OnError::skip});
  const auto results = compute.run(items(10), [](const tp::Tensor& t) { return tp::matmul(t.reshape({1, -1}), tp::ones({8, 1})); });
  ASSERT_EQ(compute.failures().size(), 9U) << "only one has eight values";
  EXPECT_EQ(compute.failures()[0].index, 0);
  EXPECT_HAS(compute.failures()[0].message, "matmul: inner sizes differ");
  EXPECT_EQ(results[7], std::vector<float>{56});
  EXPECT_TRUE(results[8].empty());
}

TEST_P(SeedsChunks, ALostDeviceCostsNoResult) {
  const auto wanted = tp::Compute().run(items(250), mean_square);
  tp::Compute compute;
  tp::faults::set("device_lost@submit:2");
  EXPECT_EQ(compute.run(items(250), mean_square), wanted);
  EXPECT_EQ(compute.recoveries(), 1);
}

}  // namespace
}  // namespace tidepool::inline v0
