// Capture and replay: what plans hold, share and give up.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <random>
#include <vector>

#include "core/node.h"
#include "device/plan.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class PlanMemory : public OnEveryDevice {
 protected:
  static constexpr std::int64_t n = 64 * 1024;  // 256 KiB a tensor
  static std::size_t plan_bytes() { return pool_stats(default_device()).by_tag[static_cast<std::size_t>(MemoryTag::plan)]; }
  // y = (x + 1 + … + 1) with so many temporaries alive at once. x is the same everywhere, so turning it round changes nothing, but the
  // launches are not all elementwise, and those between stay apart.
  static void chain(const Tensor& x, const Tensor& y, int at_once) {
    tidy([&] {
      std::vector<Tensor> parts;
      for (int i = 0; i < at_once; ++i) parts.push_back(transpose((x + static_cast<float>(i)).reshape({256, 256})).reshape({n}));
      Tensor total = parts[0];
      for (int i = 1; i < at_once; ++i) total = total + parts[static_cast<std::size_t>(i)];
      copy_(y, total);
    });
  }
  static float chained(float x, int at_once) { return x * static_cast<float>(at_once) + static_cast<float>(at_once * (at_once - 1) / 2); }
  static std::shared_ptr<PlanState> droppable_plan(const std::function<void()>& function) {
    Capture capture;
    function();
    std::shared_ptr<PlanState> state = capture.finish();
    state->droppable = true;
    return state;
  }
};
INSTANTIATE_TEST_SUITE_P(On, PlanMemory, devices_for_tests(), device_name);

TEST_P(PlanMemory, APlanThatDoesNotFitTakesNothingFromOthers) {
  const Tensor x = ones({n}), y = zeros({n});
  const Plan small = capture([&] { chain(x, y, 2); });
  small.run();
  const std::size_t live = memory().live_bytes, plans = plan_bytes();
  ASSERT_GT(plans, 0U);
  const auto fails = [&] {
    EXPECT_THROW(capture([&] { chain(x, y, 12); }), OutOfMemory);
    EXPECT_EQ(memory().live_bytes, live);
    EXPECT_EQ(plan_bytes(), plans);
    fill_(x, 3.0F);
    small.run();
    expect_all(y, chained(3, 2));
  };
  faults::set("out_of_memory@allocate:1,out_of_memory@allocate:2");  // the larger arena; then the device has the smaller one again
  fails();
  faults::set("");
  configure({.memory_limit = live + 256_KiB});
  fails();
  configure({.memory_limit = live - 1});  // below what is reserved: what was given back would not come again
  fails();
}

TEST_P(PlanMemory, WhatEscapesFromAPlanThatDoesNotFitHasNoValuesAndNoMemory) {
  const Tensor x = ones({n}), y = zeros({n});
  const MemoryStats before = memory();
  Tensor first, second;
  const auto fails_at = [&](int allocation) {
    cleanup();
    faults::set("out_of_memory@allocate:" + std::to_string(allocation));
    EXPECT_THROW(capture([&] {
                   first = x + 1.0F;
                   second = x + 2.0F;
                   chain(x, y, 12);
                 }),
                 OutOfMemory)
        << "at allocation " << allocation;
    faults::set("");
    EXPECT_EQ(memory().live_bytes, before.live_bytes);
    EXPECT_HAS(message_of<DeviceError>([&] { first + x; }), "belongs to a capture that has not ended or has failed");
    EXPECT_THROW(second.to_host<float>(), DeviceError);
  };
  fails_at(2);  // of the second's memory
  fails_at(3);  // of the arena
  expect_all(x, 1.0F);
}

TEST_P(PlanMemory, PlansHoldTheirBlocksWhileEagerCodeRunsAndAllocatesBetween) {
  configure({.memory_limit = 6_MiB, .cache_limit = 1_MiB});
  const Tensor x = ones({n}), y = zeros({n});
  Tensor escaped;
  const Plan plan = capture([&] {
    chain(x, y, 4);
    escaped = y * 2.0F;
  });
  std::mt19937 random(99);
  for (int i = 0; i < 20; ++i) {
    std::vector<Tensor> noise;  // fills whatever it is lent with something that would show
    try {
      for (;;) noise.push_back(full({1 + static_cast<std::int64_t>(random() % n)}, 1e30F));
    } catch (const OutOfMemory&) {
    }
    EXPECT_LE(memory().reserved_bytes, 6_MiB);
    fill_(x, static_cast<float>(i));
    plan.run();
    expect_all(y, chained(static_cast<float>(i), 4));
    expect_all(escaped, 2 * chained(static_cast<float>(i), 4));
    for (const Tensor& t : noise) expect_all(t, 1e30F, "the plan wrote into somebody else's block");
  }
}

TEST_P(PlanMemory, AFreshRunIsTheOnlyThingThatWritesEagerBlocks) {
  const Tensor x = ones({n}), y = zeros({n});
  const Plan plan = capture([&] { chain(x, y, 3); });
  plan.run();
  const std::size_t allocations = memory().allocations;
  for (int i = 0; i < 10; ++i) plan.run();
  sync();
  EXPECT_EQ(memory().allocations, allocations) << "a run takes no memory";
}

TEST_P(PlanMemory, TemporariesOfOnePlanShareMemoryWhenTheyAreNotNeededAtOnce) {
  const Tensor x = ones({n}), y = zeros({n});
  const std::size_t before = memory().live_bytes;
  const Plan plan = capture([&] {
    tidy([&] {
      Tensor t = x;
      for (int i = 0; i < 20; ++i) t = t + 1.0F;
      copy_(y, t);
    });
  });
  EXPECT_LE(memory().live_bytes - before, 2 * 256_KiB);
  plan.run();
  expect_all(y, 21.0F);
}

TEST_P(PlanMemory, TemporariesOfTwoPlansShareTheArena) {
  const Tensor x = full({n}, 2.0F), a = zeros({n}), b = zeros({n});
  const Plan first = capture([&] { chain(x, a, 4); });
  const std::size_t with_one = memory().live_bytes;
  EXPECT_GE(plan_bytes(), 4 * 256_KiB);
  const Plan second = capture([&] { chain(x, b, 4); });
  EXPECT_EQ(memory().live_bytes, with_one) << "the second one has temporaries of its own";
  for (int i = 0; i < 5; ++i) {
    first.run();
    second.run();
  }
  expect_all(a, chained(2.0F, 4));
  expect_all(b, chained(2.0F, 4));
}

TEST_P(PlanMemory, ALargerPlanGrowsTheArenaAndTheSmallerOneStillWorks) {
  const Tensor x = full({n}, 2.0F), a = zeros({n}), b = zeros({n});
  const Plan small = capture([&] { chain(x, a, 3); });
  small.run();
  const std::size_t before = plan_bytes();  // the arena and nothing else
  const Plan large = capture([&] { chain(x, b, 12); });
  EXPECT_GE(plan_bytes(), 12 * 256_KiB);
  EXPECT_LT(plan_bytes(), before + 12 * 256_KiB) << "the old arena went back";
  const Tensor noise = full({static_cast<std::int64_t>(before / sizeof(float))}, 1e30F);  // where the small plan's arena was
  for (int i = 0; i < 3; ++i) {
    zero_(a);
    zero_(b);
    small.run();
    large.run();
    expect_all(a, chained(2.0F, 3));
    expect_all(b, chained(2.0F, 12));
  }
  expect_all(noise, 1e30F, "a plan still used the old arena");
}

TEST_P(PlanMemory, NoMemoryStaysWithPlansThatAreGone) {
  const Tensor x = ones({n}), y = zeros({n});
  sync();
  const MemoryStats before = memory();
  {
    Tensor escaped;
    const Plan plan = capture([&] {
      chain(x, y, 4);
      escaped = x + y;
    });
    plan.run();
    EXPECT_GT(memory().live_bytes, before.live_bytes);
  }
  EXPECT_EQ(memory().tensors, before.tensors);
  EXPECT_EQ(memory().live_bytes, before.live_bytes) << "the arena outlives the last plan that uses it";
}

TEST_P(PlanMemory, CleanupDropsPlansAndLiveTensorsStay) {
  const Tensor x = ones({n}), y = zeros({n});
  Tensor escaped;
  const Plan plan = capture([&] {
    chain(x, y, 4);
    escaped = x + 6.0F;
  });
  plan.run();
  cleanup();
  EXPECT_HAS(message_of<Error>([&] { plan.run(); }), "run: the plan cannot run: it was dropped by cleanup(); capture it again");
  EXPECT_EQ(plan_bytes(), pool_stats(default_device()).live - 2 * 256_KiB) << "what escaped is all that is left of the plan";
  expect_all(y, chained(1.0F, 4));
  expect_all(escaped, 7.0F);
  const Plan again = capture([&] { chain(x, y, 2); });
  again.run();
  expect_all(y, chained(1.0F, 2));
}

TEST_P(PlanMemory, ACaptureThatDoesNotFitIsOutOfMemoryAndLeavesNothing) {
  configure({.memory_limit = 2_MiB});
  const Tensor x = ones({n}), y = zeros({n});
  sync();
  const MemoryStats before = memory();
  EXPECT_HAS(message_of<OutOfMemory>([&] { capture([&] { chain(x, y, 12); }); }), "capture: asked 3");
  EXPECT_EQ(memory().live_bytes, before.live_bytes);
  const Plan plan = capture([&] { chain(x, y, 4); });
  plan.run();
  expect_all(y, chained(1.0F, 4));
}

TEST_P(PlanMemory, ACaptureThatFailsAtAnyMomentLeavesNoArena) {
  const Tensor x = ones({n}), y = zeros({n});
  const auto make = [&] { return capture([&] { chain(x, y, 3); }); };
  const std::size_t before = memory().live_bytes;
  faults::count();
  make();
  const std::int64_t moments = faults::reached("alloc");
  EXPECT_GT(moments, 5) << "the last of them comes after the arena";
  for (std::int64_t i = 1; i <= moments; ++i) {
    faults::set("host_out_of_memory@alloc:" + std::to_string(i));
    EXPECT_THROW(make(), OutOfMemory) << i;
    EXPECT_EQ(memory().live_bytes, before) << i;
  }
  faults::set("");
  make().run();
  expect_all(y, chained(1.0F, 3));
}

TEST_P(PlanMemory, WhatEscapesFromACaptureThatDoesNotFitIsSafeToDrop) {
  configure({.memory_limit = 2_MiB});
  const Tensor x = ones({n});
  std::vector<Tensor> escaped;
  const auto escape = [&](int count) {
    capture([&] {
      for (int i = 0; i < count; ++i) escaped.push_back(x + 1.0F);
    });
  };
  EXPECT_THROW(escape(20), OutOfMemory);
  EXPECT_THROW(escaped.back() + x, Error) << "it has no memory";
  escaped.clear();
  EXPECT_EQ(memory().live_bytes, 256_KiB);
  {
    const Tensor most = ones({6 * n});  // so that not even the first of them fits
    EXPECT_THROW(escape(3), OutOfMemory);
    escaped.clear();
  }
  EXPECT_NO_THROW(escape(3));
  escaped.clear();
  expect_all(x, 1.0F);
}

TEST_P(PlanMemory, AnArenaThatCouldNotGrowLeavesTheOldPlanWorking) {
  configure({.memory_limit = 3_MiB});
  const Tensor x = full({n}, 2.0F), y = zeros({n});
  const Plan plan = capture([&] { chain(x, y, 3); });
  plan.run();
  EXPECT_THROW(capture([&] { chain(x, y, 16); }), OutOfMemory);
  zero_(y);
  plan.run();
  expect_all(y, chained(2.0F, 3));
}

TEST_P(PlanMemory, DroppablePlansGoBeforeMemoryRunsOut) {
  configure({.memory_limit = 4_MiB});
  const Tensor x = ones({n});
  const auto make = [&] {
    Tensor result;
    return droppable_plan([&] { result = transpose(x.reshape({256, 256})) + x.reshape({256, 256}); });
  };
  const auto first = make(), second = make();
  first->run();
  second->run();
  std::vector<Tensor> held;
  for (int i = 0; i < 14; ++i) ASSERT_NO_THROW(held.push_back(zeros({n}))) << i;
  EXPECT_HAS(message_of<Error>([&] { first->run(); }), "it was dropped because memory ran short; capture it again");
  EXPECT_EQ(memory().live_bytes, 15 * 256_KiB) << "with no plan left, nothing of them is, not even the arena";
  EXPECT_LE(memory().peak_bytes, 4_MiB);
}

TEST_P(PlanMemory, PlansThatTheUserHoldsAreNotDropped) {
  configure({.memory_limit = 4_MiB});
  const Tensor x = ones({n}), y = zeros({n});
  const Plan plan = capture([&] { chain(x, y, 4); });
  std::vector<Tensor> held;
  EXPECT_THROW(
      {
        for (;;) held.push_back(zeros({n}));
      },
      OutOfMemory);
  plan.run();
  expect_all(y, chained(1.0F, 4));
}

TEST_P(PlanMemory, ADroppablePlanIsNotDroppedToMakeRoomForItself) {
  configure({.memory_limit = 3_MiB});
  const Tensor x = ones({n}), y = zeros({n});
  Tensor escaped;
  const auto plan = droppable_plan([&] {
    chain(x, y, 1);
    escaped = x + y;
  });
  escaped = {};  // only the plan holds it now: dropping the plan would make just the room that it needs
  plan->run();
  plan->droppable = false;
  faults::set("out_of_memory@allocate:every:1");
  EXPECT_THROW(capture([&] { chain(x, y, 6); }), OutOfMemory);  // takes the arena away
  faults::set("");
  std::vector<Tensor> held;
  try {
    for (;;) held.push_back(zeros({n}));
  } catch (const OutOfMemory&) {
  }
  plan->droppable = true;
  EXPECT_THROW(plan->run(), Error) << "there is no room for its arena";
  held.clear();
  expect_all(x + 1.0F, 2.0F);
}

TEST_P(PlanMemory, WhatAPlanHoldsIsNamedWhenMemoryRunsOut) {
  configure({.memory_limit = 4_MiB});
  const Tensor x = ones({n}), y = zeros({n});
  const Plan plan = capture([&] { chain(x, y, 4); });
  EXPECT_HAS(message_of<OutOfMemory>([] { zeros({4 * n * 3}); }), "held by plan 1.3 MiB, activations 512 KiB");
}

TEST_P(PlanMemory, ARunMakesAPendingBackwardThrow) {
  const Tensor w = full({10}, 3.0F), x = full({10}, 2.0F), untouched = full({10}, 1.0F);
  w.requires_grad();
  const Plan plan = capture([&] { tidy([&] { copy_(x, untouched + 1.0F); }); });
  const Tensor fine = sum(w * untouched), before = sum(w * x);
  plan.run();
  EXPECT_HAS(message_of<Error>([&] { before.backward(); }), "a value that mul needs was written in place");
  EXPECT_FALSE(w.grad().defined());
  fine.backward();
  expect_all(w.grad(), 1.0F, "what a plan only reads is unchanged");
}

}  // namespace
}  // namespace tidepool::inline v0
