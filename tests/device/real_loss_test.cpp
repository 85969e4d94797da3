// Devices that are lost by themselves, at moments at which nobody waits for news of them.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <memory>
#include <vector>

#include "support/broken_backend.h"

namespace tidepool::inline v0 {
namespace {

class RealLoss : public LibraryTest {
 protected:
  // Breaks when it is waited for, or asked, once `now` is set.
  void open() {
    open_broken_backend(
        {.breaks = [now =
                        now](const BackendCall& call) { return *now && (call.kind == BackendCall::wait || call.kind == BackendCall::ask); },
         .null = {.latency = 1'000'000}});
  }
  const std::shared_ptr<bool> now = std::make_shared<bool>(false);
};

TEST_F(RealLoss, IsFoundByAPlanThatEnds) {
  open();
  const EventLog log;
  const Tensor x = ones({100});
  {
    const Plan plan = capture([&] { fill_(x, 2.0F); });
    plan.run();
    *now = true;
  }
  EXPECT_EQ(log.count(DeviceEvent::lost), 1) << "the plan waited for its last run";
  EXPECT_HAS(message_of<DeviceLost>([&] { relu(x); }), "relu: device null was lost (test: broken by the test)");
}

TEST_F(RealLoss, IsFoundByWhoeverReadsFigures) {
  open();
  const EventLog log;
  configure({.max_commands = 1, .cache_limit = 64_KiB});
  { const Tensor t = ones({256, 1024}); }
  *now = true;
  const MemoryStats stats = memory();
  EXPECT_FALSE(stats.reliable);
  EXPECT_EQ(stats.live_bytes, 0U);
  EXPECT_EQ(log.count(DeviceEvent::lost), 1);
}

TEST_F(RealLoss, MayComeBeforeTheOneThatWasAskedFor) {
  open();
  const EventLog log;
  *now = true;
  faults::set("device_lost@launch:1");
  EXPECT_HAS(message_of<DeviceLost>([] { ones({100}); }), "was lost (a fault that was asked for)");
  EXPECT_EQ(log.count(DeviceEvent::lost), 1);
}

TEST_F(RealLoss, LeavesTensorsThatCanStillBecomeParameters) {
  open();
  const Tensor t = ones({100});
  faults::set("device_lost@launch:1");
  EXPECT_THROW(relu(t), DeviceLost);
  EXPECT_NO_THROW(t.requires_grad());
  EXPECT_THROW(sum(t).backward(), DeviceLost);
}

TEST_F(RealLoss, ThatAResetFindsIsToldAndSoIsItsEnd) {
  open();
  const EventLog log;
  const Tensor t = ones({100});
  *now = true;
  EXPECT_NO_THROW(reset(device("null")));
  EXPECT_EQ(log.count(DeviceEvent::lost), 1);
  EXPECT_EQ(log.count(DeviceEvent::restored), 1);
  EXPECT_THROW(relu(t), DeviceLost);
}

TEST_F(RealLoss, IsFoundByWhoeverSetsLimitsAndOnlyOnce) {
  int calls_after_loss = 0;
  open_broken_backend({.breaks = [now = now](const BackendCall& call) { return *now && call.kind == BackendCall::ask; },
                       .calls_after_loss = &calls_after_loss,
                       .null = {.latency = 1'000'000}});
  const EventLog log;
  configure({.max_commands = 1, .max_cached_per_class = 50});
  {
    std::vector<Tensor> many;
    for (int i = 0; i < 10; ++i) many.push_back(ones({i % 2 ? 256 : 64, 1024}));
  }
  EXPECT_EQ(memory().live_bytes, 0U);
  *now = true;
  EXPECT_NO_THROW(configure({.max_cached_per_class = 1})) << "of two classes, each has blocks to give up";
  EXPECT_FALSE(memory().reliable);
  EXPECT_EQ(log.count(DeviceEvent::lost), 1);
  reopen_null({});  // before what the broken one counts with is gone
  EXPECT_EQ(calls_after_loss, 0);
}

TEST_F(RealLoss, IsNotWhatADeviceMeansThatCannotSayWhetherItIsDone) {
  int refused = 0;
  open_broken_backend({.fails = [&](const BackendCall& call) { return *now && call.kind == BackendCall::ask && ++refused; },
                       .null = {.latency = 1'000'000}});
  const EventLog log;
  configure({.max_commands = 1, .max_cached_per_class = 0});
  {
    std::vector<Tensor> many;
    for (int i = 0; i < 10; ++i) many.push_back(ones({256, 1024}));
    *now = true;
  }
  EXPECT_EQ(memory().live_bytes, 0U) << "each block came back, though none could be given up yet";
  EXPECT_GT(refused, 0);
  *now = false;
  sync();  // the step that needed them
  sync();  // and one that does not
  EXPECT_EQ(memory().reserved_bytes, 0U);
  EXPECT_EQ(log.count(DeviceEvent::lost), 0);
  reopen_null({});  // before what the broken one counts with is gone
}

TEST_F(RealLoss, IsDeclaredByTheWaitLimitThatIsSetNow) {
  std::chrono::nanoseconds patience{};
  configure({.wait_limit = 7});
  open_broken_backend({.patience = &patience});
  ones({4});
  EXPECT_EQ(patience, std::chrono::seconds(7));
  configure({.wait_limit = 120});
  EXPECT_EQ(patience, std::chrono::seconds(120)) << "a device that was open already";
  reopen_null({});
}

TEST_F(RealLoss, IsWhatAWaitThatFailsMeans) {
  open_broken_backend(
      {.fails = [now = now](const BackendCall& call) { return *now && call.kind == BackendCall::wait; }, .null = {.latency = 1'000'000}});
  const EventLog log;
  const Tensor x = ones({100});
  {
    const Plan plan = capture([&] { fill_(x, 2.0F); });
    plan.run();
    *now = true;
  }
  EXPECT_EQ(log.count(DeviceEvent::lost), 1) << "nobody knows whether the plan's last run is over";
  EXPECT_HAS(message_of<DeviceLost>([&] { relu(x); }), "failed by the test");
}

TEST_F(RealLoss, IsNoneWhereAPlanCannotBeMadeAndLaunchesAreTimedAsBefore) {
  bool timing = false;
  open_broken_backend(
      {.fails = [now = now](const BackendCall& call) { return *now && call.kind == BackendCall::bake; }, .timing = &timing});
  monitor::enable();
  const Tensor x = ones({100});
  sync();
  ASSERT_TRUE(timing);
  *now = true;
  EXPECT_THROW(capture([&] { fill_(x, 2.0F); }), DeviceError);
  EXPECT_TRUE(timing);
  monitor::disable();
  reopen_null({});  // before what the broken one tells is gone
}

// Everything that calls the backend, once for each of its calls.
TEST_F(RealLoss, AtAnyCallIsALossAndTheBackendIsLeftAlone) {
  const auto work = [] {
    const Tensor x = from_host(std::vector<float>(1000, 1.0F), {1000}), index = from_host(std::vector<std::int32_t>(4, 1), {4});
    const Tensor y = relu(x + randn({1000})), taken = embedding(x.reshape({250, 4}), index);
    Tensor out;
    const Plan plan = capture([&] { out = tanh(y) * 2.0F; });
    plan.run();
    out.to_host<float>();
    taken.to_host<float>();
    sync();
  };
  for (const double pace : {1.0, 0.9}) {
    std::int64_t calls = 0;
    for (std::int64_t break_at = 1; break_at == 1 || calls >= break_at - 1; ++break_at) {
      calls = 0;
      int calls_after_loss = 0;
      bool lost = false;
      open_broken_backend({.breaks = [&](const BackendCall&) { return ++calls == break_at; }, .calls_after_loss = &calls_after_loss});
      configure({.max_load = pace});
      try {
        work();
      } catch (const DeviceLost&) {
        lost = true;
      }
      EXPECT_EQ(lost, calls >= break_at) << "call " << break_at;
      EXPECT_EQ(memory().tensors, 0) << "call " << break_at;
      reopen_null({});  // before what the broken one counts with is gone
      EXPECT_EQ(calls_after_loss, 0) << "call " << break_at;
      ASSERT_LT(break_at, 1000);
    }
    EXPECT_GT(calls, 20);
  }
}

class Refusals : public LibraryTest {};

TEST_F(Refusals, OfMemoryForRandomNumbersAreOutOfMemory) {
  open_broken_backend({.refuses = [](std::size_t bytes) { return bytes == sizeof(RandomState); }});
  EXPECT_HAS(message_of<OutOfMemory>([] { randn({100}); }), "allocate: asked 4 KiB of null: limit none ");
  EXPECT_NO_THROW(ones({100}));
}

// What the device keeps for good: its random numbers, and what it finds wrong.
TEST_F(Refusals, IdleBlocksMakeRoomForRandomNumbers) {
  for (const bool by_limit : {false, true}) {
    reopen_null({.memory = by_limit ? 1_GiB : 1_MiB});
    set_default_device(device("null"));
    configure({.memory_limit = by_limit ? 1_MiB : 0});
    { const Tensor a = zeros({128, 1024}), b = zeros({128, 1024}); }
    EXPECT_NO_THROW(randn({128, 1024})) << by_limit;
    EXPECT_LE(null_backend().counts.peak, 1_MiB) << by_limit;
  }
}

TEST_F(Refusals, MemoryThatCouldNotBeClearedIsNotUsed) {
  int uploads = 0, downloads = 0;
  bool fails = true;
  open_broken_backend({.fails = [&](const BackendCall& call) {
    uploads += call.kind == BackendCall::upload;
    downloads += call.kind == BackendCall::download;
    return fails && call.kind == BackendCall::upload;
  }});
  {
    const Tensor labels = zeros({4}, {.dtype = DType::i32});
    EXPECT_THROW(one_hot(labels, 10), DeviceError);
    EXPECT_EQ(uploads, 1);
    EXPECT_NO_THROW(sync());
    EXPECT_EQ(downloads, 0) << "what lies there is no complaint";
    fails = false;
    one_hot(labels, 10);
    EXPECT_EQ(uploads, 2) << "it is cleared before it is used";
    sync();
    EXPECT_EQ(downloads, 1);
  }
  reopen_null({});  // before what the broken one counts with is gone
}

TEST_F(Refusals, OfTensorsThatADeviceCannotBindSayWhatToDo) {
  open_broken_backend({.describe = [](BackendInfo& info) { info.max_binding_bytes = 64 << 10; }});
  const Tensor fits = zeros({16, 1024});
  EXPECT_EQ(message_of<DeviceError>([] {
              ones({17, 1024});
            }),
            "fill: a tensor of 68 KiB is more than null can bind at once (64 KiB); work in smaller pieces, with slice() for example");
  EXPECT_NO_THROW(relu(fits));
}

// A binding begins where the device can have it begin, so that it spans more than the view does.
TEST_F(Refusals, OfViewsCountWhatLiesBeforeThem) {
  open_broken_backend({.describe = [](BackendInfo& info) { info.max_binding_bytes = 64 << 10; }});
  const Tensor whole = from_host(std::vector<float>(17 * 1024), {17 * 1024});
  EXPECT_NO_THROW(zero_(whole.slice(64, 64 + 16 * 1024)));
  EXPECT_NO_THROW(zero_(whole.slice(1, 16 * 1024))) << "with the four bytes before it, just as much";
  EXPECT_EQ(message_of<DeviceError>([&] { zero_(whole.slice(1, 1 + 16 * 1024)); }),
            "fill: a tensor of 64 KiB, which begins 4 bytes behind a place where a binding can, is more than null can bind at once "
            "(64 KiB); work in smaller pieces, with slice() for example");
}

}  // namespace
}  // namespace tidepool::inline v0
