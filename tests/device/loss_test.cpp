// Devices that fail: what is thrown, what is told, and what works again after reset.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <optional>
#include <thread>
#include <tuple>
#include <vector>

#include "support/child.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Loss : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, Loss, devices_for_tests(), device_name);

// Where the device is lost, too.
class LossAt : public LibraryTest, public testing::WithParamInterface<std::tuple<const char*, const char*>> {
 protected:
  void SetUp() override {
    const auto [id, point] = GetParam();
    SKIP_WITHOUT_DEVICE(id);
    LibraryTest::SetUp();
    set_default_device(device(id));
    fault = std::string("device_lost@") + point + ":1";
  }
  void TearDown() override {
    if (!IsSkipped()) LibraryTest::TearDown();
  }
  static void work() {
    const Tensor t = ones({100});
    relu(t + t);
    sync();
  }
  std::string fault;
};
INSTANTIATE_TEST_SUITE_P(On, LossAt,
                         testing::Combine(testing::Values("null", "cpu", "vulkan:0"), testing::Values("launch", "submit", "wait")),
                         [](const auto& info) {
                           std::string name = std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
                           std::replace(name.begin(), name.end(), ':', '_');
                           return name;
                         });

TEST_P(LossAt, IsToldOnceAndEverythingThrowsUntilReset) {
  const std::string id = default_device().id();
  Tensor old = full({100}, 3.0F);
  const std::vector<float> values(100, 1.0F);
  sync();
  const EventLog log;
  faults::set(fault);
  EXPECT_HAS(message_of<DeviceLost>(work), "device " + id + " was lost");
  ASSERT_EQ(log.count(DeviceEvent::lost), 1);
  EXPECT_EQ(log.events()[0].device.id(), id);
  EXPECT_HAS(log.events()[0].message, id + " was lost: ");

  const auto throws = [&](const char* operation, const std::function<void()>& function) {
    const std::string message = message_of<DeviceLost>(function);
    EXPECT_TRUE(message.starts_with(operation)) << message;
    EXPECT_HAS(message, "call reset(device) and make its tensors again");
  };
  for (int i = 0; i < 2; ++i) {
    throws("relu: ", [&] { relu(old); });
    throws("to_host: ", [&] { old.to_host<float>(); });
    throws("copy_from: ", [&] { old.copy_from(values); });
    throws("fill_: ", [&] { fill_(old, 1.0F); });
    throws("zeros: ", [] { zeros({4}); });
    throws("from_host: ", [&] { from_host(values, {100}); });
    throws("", [] { commit(); });
    throws("", [] { sync(); });
    throws("", [] { capture([] { zeros({4}); }); });
  }
  EXPECT_EQ(log.count(DeviceEvent::lost), 1) << "a loss is told once";
  EXPECT_FALSE(memory().reliable);

  reset(default_device());
  EXPECT_EQ(log.count(DeviceEvent::restored), 1);
  EXPECT_EQ(log.count(DeviceEvent::lost), 1);
  EXPECT_NO_THROW(work());
  EXPECT_TRUE(memory().reliable);
}

TEST_P(LossAt, OldTensorsThrowByNameAndMayBeDestroyedMuchLater) {
  const std::string gone = "lived on " + default_device().id() + " before it was reset or closed and is gone; make it again";
  Tensor old = full({100}, 3.0F), view = old.slice(0, 50);
  faults::set(fault);
  EXPECT_THROW(work(), DeviceLost);
  reset(default_device());
  const Tensor fresh = full({100}, 5.0F);
  const auto throws = [&](const char* operation, const std::function<void()>& function) {
    const std::string message = message_of<DeviceLost>(function);
    EXPECT_TRUE(message.starts_with(operation)) << message;
    EXPECT_HAS(message, gone);
  };
  throws("relu: ", [&] { relu(old); });
  throws("add: ", [&] { old + fresh; });
  throws("add: ", [&] { fresh + old; });
  throws("copy_: ", [&] { copy_(fresh, old); });
  throws("copy_: ", [&] { copy_(old, fresh); });
  throws("to_host: ", [&] { view.to_host<float>(); });
  throws("to: ", [&] { old.to(device(default_device().id() == "cpu" ? "null" : "cpu")); });
  EXPECT_EQ(old.shape(), Shape(100)) << "what is known without the device is still known";
  const std::size_t live = memory().live_bytes;
  old = {};
  view = {};
  EXPECT_EQ(memory().live_bytes, live) << "old blocks are no part of the new device";
  EXPECT_EQ(memory().tensors, 1);
  if (default_device().id() != "null") {
    EXPECT_EQ(fresh.to_host<float>(), std::vector<float>(100, 5.0F));
  }
}

TEST_P(Loss, APlanOfALostDeviceThrowsAndANewOneWorks) {
  const Tensor x = ones({100});
  Tensor escaped;
  const Plan plan = capture([&] { escaped = relu(x + 1.0F) * 2.0F; });
  plan.run();
  const EventLog log;
  faults::set("device_lost@submit:2");
  plan.run();
  EXPECT_HAS(message_of<DeviceLost>([&] { plan.run(); }), "was lost");
  EXPECT_HAS(message_of<DeviceLost>([&] { plan.run(); }), "run: device " + id() + " was lost");
  EXPECT_EQ(log.count(DeviceEvent::lost), 1);
  reset(default_device());
  EXPECT_HAS(message_of<Error>([&] { plan.run(); }), "run: the plan cannot run: " + id() + " was reset or closed; capture it again");
  EXPECT_THROW(escaped.to_host<float>(), DeviceLost);
  const Tensor fresh = ones({100});
  const Plan again = capture([&] { fill_(fresh, 4.0F); });
  again.run();
  expect_all(fresh, 4.0F);
}

TEST_P(Loss, ADeliberateResetIsNoLoss) {
  const EventLog log;
  const Tensor old = ones({100});
  const Plan plan = capture([&] { fill_(old, 4.0F); });
  for (int i = 0; i < 3; ++i) reset(default_device());
  EXPECT_TRUE(log.events().empty());
  EXPECT_HAS(message_of<DeviceLost>([&] { relu(old); }), "relu: the tensor lived on " + id() + " before it was reset");
  EXPECT_THROW(plan.run(), Error);
  expect_all(ones({100}) + 1.0F, 2.0F);
}

TEST_P(Loss, ABackwardThatWasPendingThrowsAndLeavesNothing) {
  {
    const Tensor w = ones({100});
    w.requires_grad();
    const Tensor loss = sum(square(w));
    faults::set("device_lost@launch:3");
    EXPECT_THROW(loss.backward(), DeviceLost);
    reset(default_device());
    EXPECT_THROW(loss.backward(), Error);
  }
  EXPECT_EQ(memory().tensors, 0);
  EXPECT_EQ(memory().live_bytes, 0U);
}

TEST_P(Loss, TheDeviceCanBeLostAgainAndAgain) {
  const EventLog log;
  std::vector<Tensor> graves;
  std::vector<std::weak_ptr<Stream>> streams;
  for (int i = 1; i <= 5; ++i) {
    graves.push_back(ones({1000}));
    streams.push_back(stream_on(default_device()));
    faults::set("device_lost@launch:2");
    EXPECT_THROW(
        {
          for (;;) graves.push_back(ones({1000}));
        },
        DeviceLost);
    reset(default_device());
    EXPECT_EQ(log.count(DeviceEvent::lost), i);
    EXPECT_EQ(log.count(DeviceEvent::restored), i);
    EXPECT_EQ(memory().live_bytes, 0U);
  }
  EXPECT_EQ(memory().tensors, static_cast<std::int64_t>(graves.size()));
  graves.clear();
  cleanup();
  for (const auto& stream : streams) EXPECT_TRUE(stream.expired()) << "a stream whose blocks have all come back is kept";
}

TEST_P(Loss, WhoComesSecondLeavesAloneWhatTheFirstMadeAnew) {
  DeviceSlot& slot = default_device().slot();
  const EventLog log;
  faults::set("device_lost@launch:1");
  EXPECT_THROW(ones({100}), DeviceLost);
  const std::uint32_t epoch = slot.epoch();
  slot.reset_unless_well();
  EXPECT_EQ(slot.epoch(), epoch + 1);
  const Tensor fresh = full({100}, 5.0F);
  slot.reset_unless_well();
  EXPECT_EQ(slot.epoch(), epoch + 1);
  EXPECT_NO_THROW(fresh.to_host<float>());
  expect_all(fresh, 5.0F);
  EXPECT_EQ(log.count(DeviceEvent::restored), 1);
}

TEST_P(Loss, ThreadsThatLoseOneDeviceMakeItAnewOnce) {
  DeviceSlot& slot = default_device().slot();
  const EventLog log;
  for (int round = 1; round <= 5; ++round) {
    faults::set("device_lost@launch:1");
    EXPECT_THROW(ones({100}), DeviceLost);
    const std::uint32_t epoch = slot.epoch();
    std::vector<std::optional<Tensor>> made(4);
    std::vector<std::thread> threads;
    for (auto& mine : made)
      threads.emplace_back([&slot, &mine] {
        slot.reset_unless_well();
        EXPECT_NO_THROW(mine = full({100}, 5.0F, {.device = Device(slot)}));
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(slot.epoch(), epoch + 1);
    for (const auto& each : made) {
      ASSERT_TRUE(each);
      EXPECT_NO_THROW(each->to_host<float>()) << "nobody took it away again";
    }
    EXPECT_EQ(log.count(DeviceEvent::lost), round);
    EXPECT_EQ(log.count(DeviceEvent::restored), round);
  }
}

TEST_P(Loss, ALostDeviceThatWasClosedIsToldAsRestoredByWhoeverOpensIt) {
  if (id().starts_with("vulkan")) GTEST_SKIP() << "what an Unopenable makes way for is the cpu or null";
  const EventLog log;
  faults::set("device_lost@launch:1");
  EXPECT_THROW(ones({100}), DeviceLost);
  {
    const Unopenable broken(GetParam());
    EXPECT_THROW(reset(default_device()), DeviceError);
    EXPECT_THROW(ones({100}), DeviceError);
  }
  EXPECT_EQ(log.count(DeviceEvent::restored), 0) << "it is still out of order";
  expect_all(ones({100}), 1.0F);
  EXPECT_EQ(log.count(DeviceEvent::restored), 1);
  EXPECT_EQ(log.events().back().message, id() + " was made anew after its loss");
  reset(default_device());
  cleanup();
  ones({100});
  EXPECT_EQ(log.count(DeviceEvent::restored), 1) << "it is told once";
  EXPECT_EQ(log.count(DeviceEvent::lost), 1);
}

TEST_P(Loss, AListenerMayUseTheLibraryAndResetTheDevice) {
  static int resets = 0;  // listeners stay for good
  static bool armed = false;
  armed = true;
  resets = 0;
  [[maybe_unused]] static const bool once = [] {
    on_device_event([](const DeviceEvent& event) {
      if (!armed || event.kind != DeviceEvent::lost) return;
      memory(event.device);
      reset(event.device);
      ++resets;
    });
    return true;
  }();
  const Tensor t = ones({100});
  faults::set("device_lost@launch:1");
  EXPECT_THROW(relu(t), DeviceLost);
  armed = false;
  EXPECT_EQ(resets, 1);
  expect_all(ones({100}), 1.0F);
}

TEST_P(Loss, AListenerMayUseTheLibraryWhenTheDeviceFailsWhileItIsReset) {
  if (!is_child()) {
    EXPECT_EQ(run_this_test_again("", 20), 0) << "failed, or hung while it held the device's lock";
    return;
  }
  on_device_event([](const DeviceEvent& event) { memory(event.device); });
  const Tensor t = ones({100});
  faults::set("device_lost@wait:1");
  reset(default_device());
  expect_all(ones({100}), 1.0F);
}

TEST_P(Loss, OtherDevicesGoOn) {
  const Device other = device(id() == "cpu" ? "null" : "cpu");
  const Tensor elsewhere = ones({100}, {.device = other});
  faults::set("device_lost@launch:1");
  EXPECT_THROW(ones({100}), DeviceLost);
  EXPECT_NO_THROW((elsewhere + elsewhere).to_host<float>());
  EXPECT_THROW(sync(), DeviceLost) << "it is still the default";
  set_default_device(other);
  EXPECT_NO_THROW(sync());
  EXPECT_NO_THROW(configure({.max_commands = 5}));
  EXPECT_NO_THROW(reset_peak());
  EXPECT_NO_THROW(cleanup());
  EXPECT_NO_THROW((elsewhere + elsewhere).to_host<float>());
}

TEST_P(Loss, MemoryRunsOutOnRequestAndThenWorks) {
  const Tensor before = ones({100});
  sync();
  faults::set("out_of_memory@allocate:1");
  EXPECT_HAS(message_of<OutOfMemory>([] { zeros({1024, 1024}); }), "limit none (the device has no more)");
  const Tensor after = full({1024, 1024}, 2.0F);
  expect_all(after, 2.0F);
  expect_all(before, 1.0F);
}

TEST_P(Loss, ARefusedAllocationMakesThePoolGiveUpIdleBlocksFirst) {
  { const Tensor idle = zeros({2048, 1024}); }
  sync();
  faults::set("out_of_memory@allocate:1");
  EXPECT_NO_THROW(zeros({1024, 1024}));
  EXPECT_EQ(memory().evictions, 1U);
}

}  // namespace
}  // namespace tidepool::inline v0
