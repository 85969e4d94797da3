#include "device/hazards.h"

#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include "device/capture.h"
#include "device/plan.h"
#include "support/devices.h"
#include "support/hazard_model.h"

#include <random>
#include <vector>

namespace tp = tidepool;

namespace {

// One training step with views, writes in place, broadcasting and long sums.
std::shared_ptr<tp::PlanState> training_step(const char* device) {
  tp::set_default_device(tp::device(device));
  const tp::Tensor x = tp::ones({8, 4}), y = tp::ones({8, 2});
  const tp::Tensor w1 = tp::full({4, 16}, 0.1F), b1 = tp::zeros({16}), w2 = tp::full({16, 2}, 0.1F);
  const tp::Tensor m = tp::zeros({4, 16}), v = tp::zeros({4, 16}), log = tp::zeros({10, 1}), large = tp::ones({3000});
  for (const tp::Tensor* p : {&w1, &b1, &w2}) p->requires_grad();
  tp::Capture capture;
  const tp::Tensor loss = tp::mean(tp::square(tp::matmul(tp::relu(tp::matmul(x, w1) + b1), w2) - y));
  loss.backward();
  tp::raw::adam_step(w1, w1.grad(), m, v, {.lr = 0.1});
  tp::copy_(log.slice(3, 4), (loss + tp::sum(large)).reshape({1, 1}));
  tp::copy_(log.slice(4, 5), log.slice(3, 4));
  w1.zero_grad();
  auto plan = capture.finish();
  tp::set_default_device(tp::device("cpu"));
  return plan;
}

TEST(Hazards, TheModelFindsNothingAmissInATrainingStepAndMissesEachBarrierThatIsDeleted) {
  for (const char* device : {"null", "cpu"}) {
    const auto plan = training_step(device);
    const std::vector<tp::Launch> launches = plan->lowered();
    EXPECT_GT(launches.size(), 15U);
    EXPECT_EQ(tp::find_hazard(launches), std::nullopt);
    EXPECT_GT(tp::barriers(launches), 0);
    EXPECT_EQ(tp::find_needless_barrier(launches), std::nullopt);
  }
}

TEST(Hazards, OnVulkanToo) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  const std::vector<tp::Launch> launches = training_step("vulkan:0")->lowered();
  EXPECT_EQ(tp::find_hazard(launches), std::nullopt);
  EXPECT_GT(tp::barriers(launches), 0);
  EXPECT_EQ(tp::find_needless_barrier(launches), std::nullopt);
}

class RandomLaunches {
 public:
  explicit RandomLaunches(unsigned seed) : random_(seed) {}
  std::vector<tp::Launch> make(std::size_t count) {
    std::vector<tp::Launch> launches(count);
    for (tp::Launch& launch : launches) {
      launch.kernel = &kernel_;
      launch.binding_count = static_cast<std::uint8_t>(1 + pick(4));
      for (std::size_t i = 0; i < launch.binding_count; ++i)
        launch.bindings[i] = {&memories_[pick(3)], 64 * pick(16), pick(200), static_cast<tp::Access>(pick(3)), 4};
    }
    return launches;
  }

 private:
  std::size_t pick(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }
  std::mt19937 random_;
  tp::KernelDef kernel_{.name = "random"};
  tp::Memory memories_[3];
};

TEST(Hazards, AThousandRandomProgramsAreKeptApartByTheBarriersThatWerePlaced) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    RandomLaunches random(seed);
    std::vector<tp::Launch> launches = random.make(30);
    tp::Hazards hazards;
    for (tp::Launch& launch : launches) launch.barrier = hazards.before(launch);
    ASSERT_EQ(tp::find_hazard(launches), std::nullopt) << "seed " << seed;
  }
}

TEST(Hazards, ReadingTheSameBytesTwiceNeedsNoBarrier) {
  tp::Memory memory;
  const tp::KernelDef kernel{.name = "reader"};
  tp::Launch reader;
  reader.kernel = &kernel;
  reader.binding_count = 1;
  reader.bindings[0] = {&memory, 0, 64, tp::Access::read, 4};
  tp::Hazards hazards;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(hazards.before(reader));
  tp::Launch writer = reader;
  writer.bindings[0].access = tp::Access::read_write;
  EXPECT_TRUE(hazards.before(writer)) << "write after read";
  EXPECT_TRUE(hazards.before(writer)) << "one binding that is read and written in place";
  EXPECT_TRUE(hazards.before(reader)) << "read after write";
  EXPECT_FALSE(hazards.before(reader));
}

TEST(Hazards, NeighboursInOneSlabDoNotWaitForEachOther) {
  tp::Memory slab;
  const tp::KernelDef kernel{.name = "writer"};
  tp::Launch launch;
  launch.kernel = &kernel;
  launch.binding_count = 1;
  tp::Hazards hazards;
  for (std::size_t i = 0; i < 8; ++i) {
    launch.bindings[0] = {&slab, i * 64, 64, tp::Access::write, 4};
    EXPECT_FALSE(hazards.before(launch));
  }
}

}  // namespace
