// cleanup(): everything that is not in use goes; what is stays valid.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <thread>
#include <vector>

#include "support/broken_backend.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Cleanup : public OnEveryDevice {
 protected:
  static DeviceSlot& slot() { return default_device().slot(); }
  // Some of everything.
  static void run() {
    const Tensor x = full({100, 100}, 0.5F), w = full({100, 100}, 0.01F);
    w.requires_grad();
    for (int i = 0; i < 5; ++i) tidy([&] { mean(square(relu(matmul(x, w)) + x)).backward(); });
    const Tensor y = zeros({100, 100});
    const Plan plan = capture([&] { tidy([&] { copy_(y, x * 2.0F + w.detach()); }); });
    plan.run();
    expect_all(y, 1.01F);
    expect_values(w.grad().slice(0, 1).flatten().slice(0, 1), w.grad().flatten().slice(5, 6).to_host<float>());
  }
};
INSTANTIATE_TEST_SUITE_P(On, Cleanup, devices_for_tests(), device_name);

TEST_P(Cleanup, TenTimesBetweenRunsWithoutLiveTensors) {
  for (int i = 0; i < 10; ++i) {
    run();
    EXPECT_GT(memory().reserved_bytes, 0U);
    cleanup();
    EXPECT_EQ(memory().reserved_bytes, 0U);
    EXPECT_EQ(slot().stream_if_open(), nullptr) << "a device that nobody uses is closed";
  }
}

TEST_P(Cleanup, TenTimesBetweenRunsWithLiveTensors) {
  const Tensor large = full({1024, 256}, 3.0F), small = full({10}, 4.0F);
  const std::uint32_t epoch = slot().epoch();
  const std::size_t live = memory().live_bytes;
  for (int i = 0; i < 10; ++i) {
    run();
    cleanup();
    const MemoryStats stats = memory();
    EXPECT_EQ(stats.tensors, 2);
    EXPECT_EQ(stats.live_bytes, live);
    EXPECT_LE(stats.cached_bytes, 4_KiB) << "only the rest of the small tensor's slab may stay";
    expect_all(large + large, 6.0F);
    expect_all(small, 4.0F);
  }
  EXPECT_EQ(slot().epoch(), epoch) << "a device in use stays open";
}

TEST_P(Cleanup, TenTimesInARowDoesNothingMore) {
  const Tensor kept = full({10}, 4.0F);
  for (int i = 0; i < 10; ++i) cleanup();
  expect_all(kept, 4.0F);
}

TEST_P(Cleanup, BeforeAnythingWasOpenedIsFine) {
  for (int i = 0; i < 10; ++i) cleanup();
  EXPECT_EQ(slot().stream_if_open(), nullptr) << "it opens nothing";
  EXPECT_EQ(memory().reserved_bytes, 0U);
  EXPECT_EQ(memory().tensors, 0);
}

TEST_P(Cleanup, FinishesTheOpenBatch) {
  const Tensor x = zeros({1000});
  for (int i = 0; i < 10; ++i) fill_(x, static_cast<float>(i));
  cleanup();
  expect_all(x, 9.0F);
}

TEST_P(Cleanup, AClosedDeviceReopensWithFreshFiguresButItsPeak) {
  run();
  const std::uint32_t epoch = slot().epoch();
  const std::size_t peak = memory().peak_bytes;
  EXPECT_GT(peak, 0U);
  cleanup();
  EXPECT_EQ(memory().allocations, 0U);
  EXPECT_EQ(memory().peak_bytes, peak) << "it is of all since the start";
  { const Tensor small = ones({10}); }
  EXPECT_EQ(slot().epoch(), epoch + 1);
  EXPECT_EQ(memory().peak_bytes, peak);
  reset(default_device());
  EXPECT_EQ(memory().peak_bytes, peak) << "a reset keeps it as well";
  cleanup();
  reset_peak();
  EXPECT_EQ(memory().peak_bytes, 0U);
  const Tensor x = ones({1024, 1024});
  EXPECT_EQ(slot().epoch(), epoch + 3);
  EXPECT_EQ(memory().peak_bytes, 4_MiB);
  expect_all(x + 1.0F, 2.0F);
}

TEST_P(Cleanup, EmitsNoEvents) {
  const EventLog log;
  run();
  cleanup();
  run();
  EXPECT_TRUE(log.events().empty());
}

TEST_P(Cleanup, LeavesAPendingBackwardWorking) {
  const Tensor w = full({1000}, 3.0F);
  w.requires_grad();
  const Tensor loss = tidy([&] { return sum(square(w) * w); });
  cleanup();
  { const Tensor noise = full({1000}, 1e30F); }
  loss.backward();
  expect_all(w.grad(), 27.0F);
}

TEST_P(Cleanup, LeavesViewsOfReleasedTensorsWorking) {
  const Tensor whole = full({10, 1000}, 2.0F), row = whole.slice(4, 5);
  whole.release();
  cleanup();
  { const Tensor noise = full({10, 1000}, 1e30F); }
  expect_all(row, 2.0F);
}

TEST_P(Cleanup, ClosesADeviceWhosePlanIsStillHeld) {
  Plan plan;
  {
    const Tensor x = zeros({1000});
    plan = capture([&] { fill_(x, 1.0F); });
  }
  EXPECT_GT(memory().live_bytes, 0U) << "the plan holds x";
  cleanup();
  EXPECT_EQ(slot().stream_if_open(), nullptr);
  EXPECT_THROW(plan.run(), Error);
  EXPECT_EQ(memory().live_bytes, 0U);
}

TEST_P(Cleanup, LeavesADeviceOpenThatAnotherThreadCapturesOn) {
  Tensor y;
  const Plan plan = capture([&] {
    const Tensor x = full({1000}, 2.0F);  // none of them has memory yet
    std::thread(cleanup).join();
    y = x + 1.0F;
  });
  plan.run();
  expect_all(y, 3.0F);
  y = {};
  EXPECT_THROW(capture([] {
                 full({1000}, 2.0F);
                 throw Error("test", "given up");
               }),
               Error);
  cleanup();
  EXPECT_EQ(slot().stream_if_open(), nullptr) << "captures that have ended hold nothing";
}

class CleanupOfAll : public LibraryTest {};

TEST_F(CleanupOfAll, CleansADeviceThatMetAWrongValueAndThoseAfterIt) {
  const Tensor elsewhere = zeros({256, 1024}, {.device = device("null")});
  Plan plan;
  {
    const Tensor x = zeros({1000});
    plan = capture([&] { fill_(x, 1.0F); });
    zeros({256, 1024}, {.device = device("null")});
    one_hot(tensor({11}, {1}).to(DType::i32), 10);
  }
  EXPECT_HAS(message_of<ArgumentError>(cleanup), "one_hot: got the label 11");
  EXPECT_EQ(device("cpu").slot().stream_if_open(), nullptr) << "its plans and blocks went, and it with them";
  EXPECT_EQ(memory(device("null")).cached_bytes, 0U);
  EXPECT_NO_THROW(cleanup());
}

TEST_F(CleanupOfAll, AndSettingsReachAVulkanDeviceAfterOneThatIsLost) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  bool now = false;
  const auto breaks = [&](const BackendCall& call) { return now && call.kind == BackendCall::wait; };
  open_broken_backend({.breaks = breaks, .null = {.latency = 1000}});
  const auto leave_idle_blocks = [] {
    for (const char* id : {"null", "vulkan:0"}) {
      zeros({256, 1024}, {.device = device(id)});
      memory(device(id));  // takes it in
    }
  };
  leave_idle_blocks();
  now = true;
  EXPECT_THROW(configure({.cache_limit = 64_KiB}), DeviceLost);
  EXPECT_EQ(memory(device("vulkan:0")).cached_bytes, 0U);
  now = false;
  configure({.cache_limit = 512_MiB});
  reset(device("null"));
  leave_idle_blocks();
  now = true;
  EXPECT_THROW(cleanup(), DeviceLost);
  EXPECT_EQ(device("vulkan:0").slot().stream_if_open(), nullptr);
  reopen_null({});  // before what the broken one looks at is gone
}

}  // namespace
}  // namespace tidepool::inline v0
