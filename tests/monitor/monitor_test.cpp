// What the monitor says of work that a test knows all about.
#include <tidepool/monitor.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "monitor/monitor.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Watching : public OnEveryDevice {
 protected:
  void SetUp() override {
    OnEveryDevice::SetUp();
    if (IsSkipped()) return;
    zeros({1});  // opens the device
    sync();
    monitor::enable({.period = 0.01, .every_operation = true});
    sync();
  }
  void TearDown() override {
    monitor::disable();
    OnEveryDevice::TearDown();
  }
  static const monitor::KernelRow* kernel(const monitor::Snapshot& snapshot, const std::string& name) {
    const auto found = std::ranges::find(snapshot.kernels, name, &monitor::KernelRow::name);
    return found == snapshot.kernels.end() ? nullptr : &*found;
  }
  static const monitor::OperationRow* operation(const monitor::Snapshot& snapshot, const std::string& name) {
    const auto found = std::ranges::find(snapshot.operations, name, &monitor::OperationRow::name);
    return found == snapshot.operations.end() ? nullptr : &*found;
  }
};
INSTANTIATE_TEST_SUITE_P(On, Watching, devices_that_compute(), device_name);

TEST_P(Watching, CountsLaunchesOperationsAndTransfers) {
  const Tensor a = ones({64, 64});
  relu(a);
  sync();
  const monitor::Snapshot before = monitor::snapshot();
  for (int i = 0; i < 10; ++i) sigmoid(a);
  sync();
  a.to_host<float>();
  const monitor::Snapshot after = monitor::snapshot();
  EXPECT_EQ(after.launches - before.launches, 10U);
  EXPECT_EQ(after.transfers - before.transfers, 1U);
  EXPECT_EQ(after.transfer_bytes - before.transfer_bytes, 64U * 64U * 4U);
  EXPECT_GT(after.transfer_ms, before.transfer_ms);
  EXPECT_GT(after.compute_ms, before.compute_ms);
  ASSERT_TRUE(kernel(after, "sigmoid"));
  EXPECT_EQ(kernel(after, "sigmoid")->launches, 10U);
  EXPECT_EQ(kernel(after, "sigmoid")->timed, 10U);
  EXPECT_GT(kernel(after, "sigmoid")->mean_us, 0.0);
  ASSERT_TRUE(operation(after, "sigmoid"));
  EXPECT_EQ(operation(after, "sigmoid")->calls, 10U);
  EXPECT_GT(operation(after, "sigmoid")->host_ms, 0.0);
  EXPECT_NEAR(operation(after, "sigmoid")->device_ms, kernel(after, "sigmoid")->device_ms, 1e-9);
  double share = 0;
  for (const monitor::KernelRow& row : after.kernels) share += row.share;
  EXPECT_NEAR(share, 1.0, 1e-9);
}

TEST_P(Watching, MemoryIsThatOfTheDevice) {
  const Tensor a = ones({1024, 256});
  sync();
  const monitor::Snapshot snapshot = monitor::snapshot();
  const MemoryStats memory = tidepool::memory();
  EXPECT_EQ(snapshot.memory.live_bytes, memory.live_bytes);
  EXPECT_EQ(snapshot.memory.reserved_bytes, memory.reserved_bytes);
  EXPECT_EQ(snapshot.memory.tensors, memory.tensors);
  EXPECT_GE(snapshot.memory.live_bytes, a.nbytes());
  std::size_t tagged = 0;
  for (const monitor::TaggedBytes& tag : snapshot.memory_by_tag) tagged += tag.bytes;
  EXPECT_EQ(tagged, snapshot.memory.live_bytes);
}

// 1 + 1 + 64 * 2: the first run and the second stand for themselves, the 66th and the 130th for 64 each.
TEST_P(Watching, RunsOfPlansAreCountedByThoseThatWereTimed) {
  const Tensor x = zeros({1000});
  sync();  // timing begins with the next batch
  const Plan plan = capture([&] { copy_(x, sigmoid(x)); });
  const monitor::Snapshot before = monitor::snapshot();
  for (int i = 0; i < 130; ++i) plan.run();
  sync();
  const monitor::Snapshot after = monitor::snapshot();
  EXPECT_EQ(after.plan_runs - before.plan_runs, 130U);
  EXPECT_EQ(after.launches - before.launches, 130U * static_cast<std::uint64_t>(plan.launches()));
  ASSERT_TRUE(kernel(after, "sigmoid"));
  EXPECT_EQ(kernel(after, "sigmoid")->timed, 4U);
  EXPECT_EQ(kernel(after, "sigmoid")->launches, 130U);
  EXPECT_GT(after.compute_ms, before.compute_ms);
  EXPECT_TRUE(operation(after, "sigmoid")) << "launches of a plan know whose they are";
}

TEST_P(Watching, SaysWhoHoldsWhat) {
  const Tensor a = ones({100'000});
  const Tensor b = sigmoid(a);
  sync();
  const monitor::RunRecord run = [] {
    monitor::Watcher::only().ask(default_device().slot(), true);
    return monitor::run_record(true);
  }();
  ASSERT_TRUE(run.pool);
  std::size_t live = 0, all = 0;
  bool found = false;
  for (const monitor::PoolRegion& region : run.pool->regions) {
    all += region.bytes;
    for (const monitor::PoolBlock& block : region.blocks) {
      EXPECT_LE(block.offset + block.bytes, region.bytes);
      if (block.tag >= 0) live += block.bytes;
      found |= block.holder == "sigmoid" && block.bytes >= b.nbytes();
    }
  }
  const MemoryStats memory = tidepool::memory();
  EXPECT_TRUE(found);
  EXPECT_EQ(live, memory.live_bytes);
  EXPECT_EQ(all, memory.reserved_bytes);
}

TEST_P(Watching, TrackWaitsForTheDeviceAndKeepsTheTime) {
  const Tensor a = ones({256, 256});
  const double ms = monitor::track("products", [&] {
    for (int i = 0; i < 20; ++i) matmul(a, a);
  });
  EXPECT_GT(ms, 0.0);
  const std::vector<double> kept = monitor::log().values("products");
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_LE(kept[0], ms);
  EXPECT_GT(kept[0], 0.5 * ms);
}

TEST_P(Watching, SamplesComeByThemselvesAndAreAThousandAtMost) {
  const Tensor a = ones({1000});
  for (int i = 0; i < 500 && monitor::log().size() < 5; ++i) {
    sigmoid(a);
    sync();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_GE(monitor::log().size(), 5U);
  const std::vector<monitor::Sample> samples = monitor::log().samples();
  EXPECT_EQ(samples.back().device, default_device().id());
  EXPECT_GT(samples.back().launches, 0U);
  EXPECT_GE(samples.back().live, a.nbytes());
  for (std::size_t i = 1; i < samples.size(); ++i) EXPECT_GE(samples[i].time, samples[i - 1].time);
  for (int i = 0; i < 1200; ++i) monitor::Monitor::only().take_sample();
  EXPECT_EQ(monitor::log().size(), 1000U);
}

class Averages : public LibraryTest {
 protected:
  void SetUp() override {
    LibraryTest::SetUp();
    zeros({1}, {.device = device("null")});  // opens the devices
    zeros({1});
    sync();
    monitor::enable({.period = 3600});  // samples are taken here
  }
  void TearDown() override {
    monitor::disable();
    LibraryTest::TearDown();
  }
  // Ten launches and five transfers of 4 bytes.
  static void work(const Tensor& one) {
    for (int i = 0; i < 10; ++i) relu(one);
    for (int i = 0; i < 5; ++i) one.item();
    sync();
  }
  static void work_and_sample(const Tensor& one, int times) {
    for (int i = 0; i < times; ++i) {
      work(one);
      monitor::Monitor::only().take_sample();
    }
  }
  static void expect_the_work(const monitor::Snapshot& average) {
    EXPECT_EQ(average.launches, 10U);
    EXPECT_EQ(average.transfers, 5U);
    EXPECT_EQ(average.transfer_bytes, 20U);
  }
};

TEST_F(Averages, AreOfTheSamplesThatAreKept) {
  const Tensor one = zeros({1});
  sync();
  work_and_sample(one, 1500);
  ASSERT_EQ(monitor::log().size(), 1000U);
  const monitor::Snapshot average = monitor::log().averages(), total = monitor::snapshot();
  expect_the_work(average);
  EXPECT_GT(average.compute_ms, 0.0);
  EXPECT_LT(average.compute_ms, total.compute_ms / 100);
  EXPECT_LT(average.transfer_ms, total.transfer_ms / 100);
}

TEST_F(Averages, OfOneSampleAreAllSinceEnable) {
  const Tensor one = from_host(std::vector<float>{1}, {1});
  sync();
  const monitor::Snapshot before = monitor::snapshot();
  work(one);
  ASSERT_EQ(monitor::log().size(), 1U);
  const monitor::Snapshot average = monitor::log().averages();
  EXPECT_EQ(average.launches, before.launches + 10);
  EXPECT_EQ(average.transfers, before.transfers + 5);
}

TEST_F(Averages, AreOfTheDeviceThatWorkedLast) {
  const Tensor large = zeros({1000, 1000}), here = zeros({1}), there = zeros({1}, {.device = device("null")});
  sync();
  work_and_sample(here, 3);
  work_and_sample(there, 4);
  const monitor::Snapshot average = monitor::log().averages();
  EXPECT_EQ(average.device, "null");
  expect_the_work(average);
  EXPECT_LT(average.memory.live_bytes, 1'000'000U) << "what lies on the other device is not in it";
}

TEST(Monitor, FiguresHavePercentilesAndUnknownOnesSaySo) {
  monitor::enable();
  for (int i = 1; i <= 1500; ++i) monitor::record("my figure", i);
  EXPECT_EQ(monitor::log().values("my figure").size(), 1000U) << "the last ones";
  EXPECT_NEAR(monitor::log().percentile("my figure", 0.5), 1000.5, 1e-9);
  EXPECT_NEAR(monitor::log().percentile("my figure", 1.0), 1500, 1e-9);
  EXPECT_HAS(message_of<ArgumentError>([] { monitor::log().percentile("no such thing", 0.5); }), "my figure");
  EXPECT_THROW(monitor::log().percentile("my figure", 99), ArgumentError);
  EXPECT_EQ(monitor::log().percentile("step_ms", 0.99), 0) << "no trainer has made a step";
  EXPECT_THROW(monitor::enable({.period = 0}), ArgumentError);
  monitor::disable();
  EXPECT_EQ(monitor::log().values("my figure").size(), 1000U) << "what was measured stays readable";
}

TEST(Monitor, NothingIsCountedWhileItIsOff) {
  monitor::enable();
  monitor::disable();
  const monitor::Snapshot before = monitor::snapshot(device("cpu"));
  set_default_device(device("cpu"));
  relu(ones({16}));
  monitor::record("unheard", 1);
  { const monitor::Zone zone("unseen"); }
  sync();
  EXPECT_EQ(monitor::snapshot(device("cpu")).launches, before.launches);
  EXPECT_TRUE(monitor::log().values("unheard").empty());
  EXPECT_TRUE(monitor::log().values("unseen").empty());
  EXPECT_FALSE(event_sink.load());
}

TEST(Monitor, ZonesNestInTheTrace) {
  monitor::enable();
  {
    const monitor::Zone outer("outer");
    const monitor::Zone inner("inner");
  }
  const std::vector<monitor::TraceEvent> traced = monitor::Watcher::only().traced();
  monitor::disable();
  ASSERT_EQ(traced.size(), 2U);
  EXPECT_STREQ(traced[0].name, "inner");
  EXPECT_STREQ(traced[1].name, "outer");
  EXPECT_LE(traced[1].start, traced[0].start);
  EXPECT_GE(traced[1].start + traced[1].duration, traced[0].start + traced[0].duration);
}

TEST(Monitor, ALostDeviceIsInTheRecord) {
  monitor::enable();
  set_default_device(device("null"));
  zeros({4});
  faults::set("device_lost@submit:1");
  EXPECT_THROW(sync(), DeviceLost);
  faults::set("");
  reset(device("null"));
  const monitor::RunRecord run = monitor::run_record(false);
  monitor::disable();
  set_default_device(device("cpu"));
  const auto lost = std::ranges::find(run.events, "lost", &monitor::RunEvent::kind);
  ASSERT_NE(lost, run.events.end());
  EXPECT_EQ(lost->device, "null");
  EXPECT_NE(std::ranges::find(run.events, "restored", &monitor::RunEvent::kind), run.events.end());
}

TEST(Monitor, MemoryOfALostDeviceIsNotReliable) {
  monitor::enable({.period = 3600});
  set_default_device(device("null"));
  zeros({4});
  EXPECT_TRUE(monitor::snapshot().memory.reliable);
  faults::set("device_lost@submit:1");
  EXPECT_THROW(sync(), DeviceLost);
  faults::set("");
  EXPECT_FALSE(monitor::snapshot().memory.reliable);
  reset(device("null"));
  zeros({4});
  EXPECT_TRUE(monitor::snapshot().memory.reliable);
  monitor::disable();
  set_default_device(device("cpu"));
}

TEST(Monitor, KernelsOfOneNameHaveTheMeanOfAllTheirTimes) {
  monitor::enable({.period = 3600});
  static constexpr char names[2][5] = {"twin", "twin"};  // of two addresses
  const auto timed = [](const char* name, std::uint64_t nanoseconds, std::uint64_t count) {
    monitor::Watcher& watcher = monitor::Watcher::only();
    for (std::uint64_t i = 0; i < count; ++i) watcher.on({.kind = Event::launch, .device = "null", .name = name});
    watcher.on({.kind = Event::timed, .device = "null", .name = name, .operation = "two", .count = count, .nanoseconds = nanoseconds});
  };
  timed(names[0], 1000, 3);
  timed(names[1], 5000, 1);
  const monitor::RunRecord run = monitor::run_record(false);
  monitor::disable();
  const auto twin = std::ranges::find(run.kernels, "twin", &monitor::KernelRow::name);
  ASSERT_NE(twin, run.kernels.end());
  EXPECT_EQ(twin->launches, 4U);
  EXPECT_DOUBLE_EQ(twin->device_ms, 8e-3);
  EXPECT_DOUBLE_EQ(twin->mean_us, 2.0);
}

// Readers hold up nobody and see whole figures; run under ThreadSanitizer.
TEST(MonitorThreads, AnyThreadMayReadWhileOthersWork) {
  monitor::enable({.period = 0.002});
  std::atomic<bool> over{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      while (!over) {
        const monitor::RunRecord run = monitor::run_record(true);
        EXPECT_LE(run.samples.size(), 1000U);
        monitor::snapshot(device("null"));
        monitor::record("read", 1);
      }
    });
  std::vector<std::thread> workers;
  for (int i = 0; i < 2; ++i)
    workers.emplace_back([] {
      for (int k = 0; k < 300; ++k) {
        const monitor::Zone zone("work");
        relu(zeros({64}, {.device = device("null")}));
        sync();
      }
    });
  for (std::thread& worker : workers) worker.join();
  over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(monitor::log().values("work").size(), 600U);
  EXPECT_GE(monitor::snapshot(device("null")).launches, 1200U);
  monitor::disable();
}

}  // namespace
}  // namespace tidepool::inline v0
