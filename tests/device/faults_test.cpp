// Faults on demand, and backends that fail by themselves.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <chrono>
#include <memory>
#include <vector>

#include "support/broken_backend.h"
#include "support/child.h"
#include "support/devices.h"
#include "support/late_backend.h"

namespace tidepool::inline v0 {
namespace {

class Faults : public LibraryTest {};

TEST_F(Faults, ALostBackendIsLeftAlone) {
  static int calls_after_loss = 0;
  open_broken_backend(
      {.breaks = [launches = 0](const BackendCall& call) mutable { return call.kind == BackendCall::record && ++launches == 20; },
       .calls_after_loss = &calls_after_loss});
  configure({.max_commands = 4, .max_cached_per_class = 1, .cache_limit = 1_MiB});
  {
    std::vector<Tensor> held;
    const Plan plan = capture([] { zeros({1000}); });
    plan.run();
    EXPECT_THROW(
        {
          for (;;) held.push_back(zeros({256, 1024}));
        },
        DeviceLost);
    EXPECT_THROW(zeros({10}), DeviceLost);
    EXPECT_THROW(plan.run(), DeviceLost);
    held.clear();
    EXPECT_NO_THROW(memory()) << "figures can be asked for at any time";
    EXPECT_NO_THROW(configure({.cache_limit = 512_KiB}));
    EXPECT_NO_THROW(cleanup());
  }
  EXPECT_EQ(calls_after_loss, 0);
  reset(device("null"));
  EXPECT_EQ(calls_after_loss, 0);
}

TEST_F(Faults, ALossThatIsNoticedWhileBlocksComeBackForgetsNone) {
  static int calls_after_loss = 0;
  open_broken_backend(
      {.breaks = [](const BackendCall& call) { return call.kind == BackendCall::ask; }, .calls_after_loss = &calls_after_loss});
  configure({.max_commands = 1, .max_cached_per_class = 0});
  const std::weak_ptr<Stream> stream = stream_on(default_device());
  {
    std::vector<Tensor> held;
    for (int i = 0; i < 10; ++i) held.push_back(zeros({256, 1024}));
  }
  EXPECT_THROW(
      {
        zeros({512, 1024});  // takes in what came back, and looks whether it can go
        sync();
      },
      DeviceLost);
  EXPECT_NO_THROW(memory());
  slot_for("null").replace_open([] { return std::make_unique<NullBackend>(); });
  reset(device("null"));
  cleanup();
  EXPECT_TRUE(stream.expired()) << "blocks were forgotten on their way back, so the old device is never buried";
  EXPECT_EQ(calls_after_loss, 0);
}

TEST_F(Faults, ALossThatIsNoticedWhileMemoryIsFreedIsToldAndForgetsNoBlock) {
  static int calls_after_loss = 0;
  open_broken_backend({.breaks = [frees = 0](const BackendCall& call) mutable { return call.kind == BackendCall::free && ++frees == 2; },
                       .calls_after_loss = &calls_after_loss});
  configure({.max_cached_per_class = 0});
  const std::weak_ptr<Stream> stream = stream_on(default_device());
  const EventLog log;
  {
    std::vector<Tensor> held;
    for (int i = 0; i < 10; ++i) held.push_back(zeros({256, 1024}));
  }
  EXPECT_THROW(sync(), DeviceLost) << "which takes in what came back";
  EXPECT_EQ(log.count(DeviceEvent::lost), 1);
  EXPECT_FALSE(memory().reliable);
  EXPECT_NO_THROW(cleanup());
  EXPECT_EQ(calls_after_loss, 0);
  reset(device("null"));
  cleanup();
  EXPECT_TRUE(stream.expired()) << "blocks were forgotten on their way back, so the old device is never buried";
}

TEST_F(Faults, ALossThatIsNoticedWhileTheLimitIsKeptEndsThere) {
  static int calls_after_loss = 0;
  open_broken_backend(
      {.breaks = [](const BackendCall& call) { return call.kind == BackendCall::free; }, .calls_after_loss = &calls_after_loss});
  {
    const Tensor a = zeros({256, 1024}), b = zeros({512, 1024});
    sync();
  }
  EXPECT_NO_THROW(configure({.cache_limit = 64_KiB})) << "it is found by whoever asks for work next";
  EXPECT_EQ(pool_stats(device("null")).evictions, 1U);
  EXPECT_THROW(zeros({10}), DeviceLost);
  EXPECT_EQ(calls_after_loss, 0);
}

TEST_F(Faults, ALossOnDemandDestroysNoPlanThatTheDeviceStillRuns) {
  static LateBackend::TooEarly too_early;
  open_late_backend(too_early);
  for (const char* fault : {"device_lost@launch:1", "device_lost@submit:1", "device_lost@wait:1", ""}) {
    const Tensor x = ones({10});
    const Plan plan = capture([&] { fill_(x, 2.0F); });
    plan.run();
    faults::set(fault);
    if (*fault) {
      EXPECT_THROW(
          {
            fill_(x, 1.0F);
            sync();
          },
          DeviceLost);
    }
    reset(device("null"));
    EXPECT_EQ(too_early.recordings_destroyed, 0) << fault;
  }
}

TEST_F(Faults, CountFromWhenTheyAreSet) {
  const Tensor t = ones({10});
  faults::set("device_lost@launch:3");
  relu(t);
  relu(t);
  faults::set("device_lost@launch:3");
  relu(t);
  relu(t);
  EXPECT_THROW(relu(t), DeviceLost);
}

TEST_F(Faults, ThatCannotBeReadAreRefusedAndChangeNothing) {
  const Tensor t = ones({10});
  faults::set("device_lost@launch:1");
  for (const char* bad : {"lost",
                          "device_lost",
                          "device_lost@launch",
                          "device_lost@launch:",
                          "device_lost@launch:0",
                          "device_lost@launch:x",
                          "device_lost@launch:1x",
                          "device_lost@launch:-1",
                          "device_lost@nowhere:1",
                          "flood@launch:1",
                          "device_lost@alloc:1",
                          "hang@launch:1",
                          "slow@allocate:1",
                          "device_lost@launch:every:0",
                          "device_lost@launch:every",
                          "VK_ERROR_DEVICE_LOST@submit:1",
                          "device_lost@vkQueueSubmit:1",
                          "VK_SUCCESS@vkQueueSubmit:1",
                          "VK_ERROR_DEVICE_LOST@vkDoNothing:1",
                          "out_of_memory@submit:1",
                          "launch:1@device_lost",
                          "device_lost@launch:1,flood@launch:1"}) {
    const std::string message = message_of<ArgumentError>([bad] { faults::set(bad); });
    EXPECT_HAS(message, "faults: cannot read '");
    EXPECT_HAS(message, "wanted FAULT@POINT:N");
  }
  EXPECT_THROW(relu(t), DeviceLost) << "the faults that were set before still hold";
}

TEST_F(Faults, AFaultEveryThirdTimeComesAgainAndAgain) {
  const Tensor t = ones({10});
  faults::set("device_lost@launch:every:3");
  for (int lost = 0; lost < 3; ++lost) {
    const Tensor fresh = ones({10});
    relu(fresh);
    EXPECT_THROW(relu(fresh), DeviceLost);
    reset(default_device());
  }
  EXPECT_EQ(faults::happened(), 3);
  EXPECT_EQ(faults::reached("launch"), 9);
  EXPECT_EQ(faults::reached("nowhere"), 0);
}

TEST_F(Faults, PointsAreCountedWithoutAnyFault) {
  faults::count();
  const Tensor t = ones({10}) + 1.0F;
  t.to_host<float>();
  EXPECT_EQ(faults::reached("launch"), 2);
  EXPECT_EQ(faults::reached("download"), 1);
  EXPECT_GT(faults::reached("alloc"), 0);
  EXPECT_EQ(faults::happened(), 0);
}

TEST_F(Faults, ADeviceThatHangsIsLostWhenTheWaitsLimitIsOver) {
  reset(device("null"));
  set_default_device(device("null"));
  configure({.wait_limit = 0.05});
  const Tensor t = ones({10});
  faults::set("hang@wait:1");
  const auto start = std::chrono::steady_clock::now();
  const std::string message = message_of<DeviceLost>([] { sync(); });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_HAS(message, "did not answer for 0.05 s");
  EXPECT_GE(seconds, 0.05);
  EXPECT_LT(seconds, 5);
}

TEST_F(Faults, WhatIsSlowIsRightAllTheSame) {
  const Tensor t = ones({10});
  faults::set("slow@launch:every:2");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ((t + t + t + t).to_host<float>(), std::vector<float>(10, 4.0F));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(10));
  EXPECT_EQ(faults::happened(), 1);
}

TEST_F(Faults, AHostWithoutMemoryIsNamedAndTheNextCallWorks) {
  const Tensor t = ones({10});
  faults::set("host_out_of_memory@alloc:1");
  EXPECT_HAS(message_of<OutOfMemory>([&] { relu(t); }), "the host has no memory left");
  faults::set("host_out_of_memory@alloc:1");
  EXPECT_HAS(message_of<OutOfMemory>([&] { t.to_host<float>(); }), "to_host: the host has no memory left");
  EXPECT_EQ(relu(t).to_host<float>(), std::vector<float>(10, 1.0F));
}

TEST_F(Faults, AnyCallOfVulkanGivesAnyResult) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  set_default_device(device("vulkan:0"));
  reset(device("vulkan:0"));
  {
    const Tensor t = ones({10});
    faults::set("VK_ERROR_DEVICE_LOST@vkQueueSubmit:1");
    EXPECT_HAS(message_of<DeviceLost>([&] { relu(t).to_host<float>(); }), "vkQueueSubmit gave VK_ERROR_DEVICE_LOST");
  }
  faults::set("-3@vkCreateDevice:1");
  EXPECT_HAS(message_of<DeviceError>([] { reset(device("vulkan:0")); }), "vkCreateDevice gave VK_ERROR_INITIALIZATION_FAILED");
  reset(device("vulkan:0"));
  EXPECT_EQ(ones({10}).to_host<float>(), std::vector<float>(10, 1.0F));
}

// Without a fixture, which would clear what the environment asks for.
TEST(FaultsFromOutside, ComeFromTheEnvironment) {
  if (!is_child()) {
    EXPECT_EQ(run_this_test_again("TIDEPOOL_FAULT=device_lost@launch:2"), 0);
    return;
  }
  const Tensor t = ones({10});
  EXPECT_THROW(relu(t), DeviceLost);
}

TEST(FaultsFromOutside, GiveWayToThoseThatAProgramSetsBeforeItUsesADevice) {
  if (!is_child()) {
    EXPECT_EQ(run_this_test_again("TIDEPOOL_FAULT=device_lost@launch:1"), 0);
    return;
  }
  faults::set("");
  EXPECT_NO_THROW(ones({2}));
  EXPECT_EQ(faults::happened(), 0);
}

TEST(FaultsFromOutside, GiveWayToCounting) {
  if (!is_child()) {
    EXPECT_EQ(run_this_test_again("TIDEPOOL_FAULT=device_lost@launch:1"), 0);
    return;
  }
  faults::count();
  EXPECT_NO_THROW(ones({2}));
  EXPECT_EQ(faults::reached("launch"), 1);
}

TEST(FaultsFromOutside, ThatCannotBeReadAreToldAndIgnored) {
  if (!is_child()) {
    EXPECT_EQ(run_this_test_again("TIDEPOOL_FAULT=flood@launch:1"), 0);
    return;
  }
  testing::internal::CaptureStderr();
  EXPECT_NO_THROW(ones({2}));
  EXPECT_HAS(testing::internal::GetCapturedStderr(), "TIDEPOOL_FAULT is ignored: faults: cannot read 'flood@launch:1'");
}

}  // namespace
}  // namespace tidepool::inline v0
