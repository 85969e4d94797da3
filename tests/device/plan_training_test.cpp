// Training from a plan gives the same bits as the eager loop.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include "support/devices.h"
#include "support/two_layer.h"

namespace tidepool::inline v0 {
namespace {

class PlanTraining : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, PlanTraining, devices_that_compute(), device_name);

constexpr AdamOptions options{.lr = 0.01, .step = 10};  // fixed: a plan does not count

TEST_P(PlanTraining, EqualsTheEagerLoopBitForBit) {
  TwoLayers eager(32), planned(32);
  // One eager step first, on both, so that the gradients are there before the capture.
  eager.step(options);
  planned.step(options);
  const Plan plan = capture([&] { planned.step(options); });
  for (int i = 0; i < 50; ++i) {
    eager.step(options);
    plan.run();
    if (i % 10 == 0) {
      ASSERT_EQ(eager.state(), planned.state()) << "after step " << i;
    }
  }
  EXPECT_EQ(eager.state(), planned.state());
  EXPECT_EQ(eager.loss.item(), planned.loss.item());
  EXPECT_LT(eager.loss.item(), 0.3F) << "it learned something";
}

TEST_P(PlanTraining, EqualsTheEagerLoopWhenTheVeryFirstStepIsCaptured) {
  TwoLayers eager(16), planned(16);
  const Plan plan = capture([&] { planned.step(options); });
  for (int i = 0; i < 20; ++i) {
    eager.step(options);
    plan.run();
  }
  EXPECT_EQ(eager.state(), planned.state());
}

TEST_P(PlanTraining, ACaptureThatFailsLeavesNoGradientWithoutMemoryBehind) {
  const Tensor w = full({1000, 1000}, 2.0F);
  w.requires_grad();
  EXPECT_THROW(capture([&] {
                 sum(w * w).backward();
                 sum(w, 7);
               }),
               ShapeError);
  EXPECT_FALSE(w.grad().defined());
  cleanup();
  configure({.memory_limit = memory().live_bytes + 1_MiB});
  EXPECT_THROW(capture([&] { sum(w * w).backward(); }), OutOfMemory);
  EXPECT_FALSE(w.grad().defined());
  configure({.memory_limit = 0});
  sum(w * w).backward();
  expect_all(w.grad(), 4.0F);
}

TEST_P(PlanTraining, EqualsTheEagerLoopWithEagerStepsBetween) {
  TwoLayers eager(16), mixed(16);
  mixed.step(options);
  eager.step(options);
  const Plan plan = capture([&] { mixed.step(options); });
  for (int i = 0; i < 20; ++i) {
    eager.step(options);
    if (i % 3 == 0)
      mixed.step(options);
    else
      plan.run();
  }
  EXPECT_EQ(eager.state(), mixed.state());
}

TEST_P(PlanTraining, TwoPlansOfOneNetTakeTurns) {
  TwoLayers eager(16), planned(16);
  const AdamOptions slow{.lr = 0.001, .step = 10};
  const Plan fast_plan = capture([&] { planned.step(options); }), slow_plan = capture([&] { planned.step(slow); });
  for (int i = 0; i < 10; ++i) {
    eager.step(options);
    fast_plan.run();
    eager.step(slow);
    slow_plan.run();
  }
  EXPECT_EQ(eager.state(), planned.state());
}

}  // namespace
}  // namespace tidepool::inline v0
