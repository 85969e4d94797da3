// Devices that are shared: our work's share of the time.
#include "device/pace.h"

#include <gtest/gtest.h>

#include <thread>

#include "device/slowness.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

using namespace std::chrono_literals;

TEST(Pace, RestsAreSavedUpUntilTheyAreWorthASleep) {
  Pace pace;
  EXPECT_FALSE(pace.limits());
  pace.set_share(0.8);
  Pace::Time worked{0}, rested{0};
  for (int i = 0; i < 10'000; ++i) {
    worked += 1us;
    const Pace::Time rest = pace.worked(1us);
    if (rest.count() == 0) continue;
    EXPECT_GE(rest, 2ms);
    rested += rest + 100us;  // a sleep takes longer than it was meant to
    pace.rested(rest + 100us);
  }
  EXPECT_GE(rested, 2ms);
  EXPECT_LE(rested, 3ms) << "what was too much counts for the next";
}

TEST(Pace, WhatOthersTakeIsLeftToThem) {
  Pace pace;
  pace.set_share(0.8);
  pace.others_take(0.3);
  EXPECT_EQ(pace.worked(10ms), 10ms) << "half of the time is ours";
  pace.set_share(0.8);
  pace.others_take(1);
  EXPECT_NEAR(static_cast<double>(pace.worked(8ms).count()), 92e6, 10) << "we go on all the same";
  pace.set_share(0.8);
  pace.others_take(0);
  EXPECT_EQ(pace.worked(8ms), 2ms);
}

TEST(SpeedWatch, SteadyNoiseIsNoAlarm) {
  Slowness slowness;
  std::uint32_t seed = 1;
  for (int i = 0; i < 100'000; ++i) {
    seed = seed * 1664525U + 1013904223U;
    const double noise = static_cast<double>(seed >> 8) / 16777216.0;
    EXPECT_EQ(slowness.add(1 + 0.5 * noise + (seed % 20 == 0 ? 3 : 0)), Slowness::Change::none) << i;
  }
}

TEST(SpeedWatch, IsToldOnceAndOnceWhenItIsOver) {
  Slowness slowness;
  for (int i = 0; i < 50; ++i) EXPECT_EQ(slowness.add(1), Slowness::Change::none);
  int slower = 0, normal = 0;
  for (int i = 0; i < 1000; ++i) slower += slowness.add(3) == Slowness::Change::slower;
  EXPECT_EQ(slower, 1);
  EXPECT_TRUE(slowness.slow()) << "however long it lasts";
  EXPECT_DOUBLE_EQ(slowness.usual(), 1);
  // Between the two limits nothing changes.
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(slowness.add(i % 2 ? 1.6 : 1.9), Slowness::Change::none) << i;
  for (int i = 0; i < 100; ++i) normal += slowness.add(1.1) == Slowness::Change::normal;
  EXPECT_EQ(normal, 1);
  EXPECT_FALSE(slowness.slow());
}

class Pacing : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, Pacing, devices_that_compute(), device_name);

// How long the device was at work, of how long in all: by its own account, since others may have the processor too.
double share_of_work(double seconds) {
  const Tensor a = ones({256, 256}), b = ones({256, 256}), c = ones({256, 256});
  const Plan plan = capture([&] { copy_(c, matmul(a, b)); });
  plan.run();
  sync();
  configure({.max_load = 0.8});
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::duration<double>(seconds)) {
    plan.run();
    relu(c);
  }
  sync();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto stream = stream_on(default_device());
  const StreamLock lock(*stream);
  return std::chrono::duration<double>(stream->busy()).count() / wall;
}

TEST_P(Pacing, OurWorkStaysBelowItsShareAndItIsToldOnce) {
  const EventLog log;
  const double share = share_of_work(1);
  EXPECT_LE(share, 0.81);
  EXPECT_GT(share, 0.05) << "it rests too much";
  ASSERT_EQ(log.count(DeviceEvent::paced), 1);
  EXPECT_HAS(log.events()[0].message, id() + " is paced: our work takes at most 80 % of its time");
  configure({.max_load = 1});
  EXPECT_EQ(log.count(DeviceEvent::restored), 1);
}

TEST_P(Pacing, SlowOverTenSecondsItStaysBelowFourFifths) { EXPECT_LT(share_of_work(10), 0.801); }

TEST_F(LibraryTest, AShareThatMakesNoSenseIsRefused) {
  EXPECT_HAS(message_of<ArgumentError>([] { configure({.max_load = 0}); }), "max_load is 0; wanted a share from 0.01 to 1");
  EXPECT_HAS(message_of<ArgumentError>([] { configure({.wait_limit = 0}); }), "wait_limit is 0 s; wanted more than 0");
}

}  // namespace
}  // namespace tidepool::inline v0
