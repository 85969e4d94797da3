// Devices that are shared: our work's share of the time.
#include "device/pace.h"

#include <gtest/gtest.h>

#include <thread>

#include "device/loads.h"
#include "device/slowness.h"
#include "platform/system.h"
#include "support/devices.h"
#include "support/environment.h"

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

TEST(Pace, ItIsCrowdedBelowThreeQuartersOfTheShareUntilNineTenthsAreLeft) {
  using Change = Pace::Change;
  Pace pace;
  pace.set_share(0.8);
  EXPECT_EQ(pace.others_take(0.19), Change::none) << "0.61 are left, of which 0.6 are enough";
  EXPECT_EQ(pace.others_take(0.21), Change::crowded);
  EXPECT_NEAR(pace.left(), 0.59, 1e-9);
  EXPECT_EQ(pace.others_take(1), Change::none) << "it is so already";
  EXPECT_EQ(pace.others_take(0.15), Change::none) << "between the two limits nothing changes";
  EXPECT_EQ(pace.others_take(0.09), Change::none);
  EXPECT_TRUE(pace.crowded());
  EXPECT_EQ(pace.others_take(0.07), Change::roomy) << "0.73 are left, of which 0.72 are enough";
  EXPECT_FALSE(pace.crowded());
  EXPECT_EQ(pace.others_take(0), Change::none);
  EXPECT_EQ(pace.others_take(0.15), Change::none) << "nor does it on the way back";
  EXPECT_EQ(pace.others_take(0.21), Change::crowded);
}

TEST(Pace, AnotherShareBeginsUncrowded) {
  Pace pace;
  pace.set_share(0.8);
  pace.others_take(0.5);
  ASSERT_TRUE(pace.crowded());
  pace.set_share(0.6);
  EXPECT_FALSE(pace.crowded());
  EXPECT_DOUBLE_EQ(pace.left(), 0.6);
  EXPECT_EQ(pace.others_take(0), Pace::Change::none) << "nobody was told of a crowd";
  EXPECT_EQ(pace.others_take(0.5), Pace::Change::crowded);
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

// Others on a device, who take what the test says, for as long as this lives.
class Crowd {
 public:
  explicit Crowd(const char* id) : pretended_(id, [this] { return look(); }) {}

  // Works until the load has been looked at so many times; by a clock of its own, as nobody may look at all.
  template <class Work>
  void during(int looks, Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    const int wanted = looks_ + looks;
    while (looks_ < wanted && std::chrono::steady_clock::now() - start < 10s) work();
    EXPECT_GE(looks_, wanted) << "nobody looked";
  }

  std::optional<double> load = 0;

 private:
  Load look() {
    ++looks_;
    return {.value = load, .source = "the test"};
  }
  int looks_ = 0;
  PretendedLoad pretended_;
};

// What the log says of others: that we rest at all is told apart from it, whenever it comes to that.
std::vector<DeviceEvent> told_of_others(const EventLog& log) {
  std::vector<DeviceEvent> told = log.events();
  std::erase_if(told, [](const DeviceEvent& event) { return event.message.find("others keep it") == std::string::npos; });
  return told;
}

class Crowds : public LibraryTest {
 protected:
  // Hardly any, so that the load is that of others.
  static void work_little() {
    std::this_thread::sleep_for(20ms);
    ones({4}, {.device = device("null")});
    sync();
  }
  // Long enough that a rest is short beside it, also one that lasts longer than it should on a busy machine.
  static void work_hard() {
    const Tensor a = ones({256, 256}), b = ones({256, 256});
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < 40ms) matmul(a, b);
    commit();
  }
};

TEST_F(Crowds, AreToldWhenTheyComeAndWhenTheyLeave) {
  Crowd crowd("null");
  configure({.max_load = 0.8});
  const EventLog log;
  crowd.during(2, work_little);
  EXPECT_TRUE(told_of_others(log).empty()) << "there are none";

  crowd.load = 1;
  crowd.during(4, work_little);
  ASSERT_EQ(told_of_others(log).size(), 1U) << "it is told once";
  EXPECT_EQ(told_of_others(log)[0].kind, DeviceEvent::paced);
  EXPECT_EQ(told_of_others(log)[0].device.id(), "null");
  EXPECT_HAS(told_of_others(log)[0].message, "null is paced: others keep it ");
  EXPECT_HAS(told_of_others(log)[0].message, " % busy (the test), so our work takes at most 8 % of its time instead of 80 %");

  crowd.load.reset();
  crowd.during(2, work_little);
  EXPECT_EQ(told_of_others(log).size(), 1U) << "what nobody knows changes nothing";

  crowd.load = 0;
  crowd.during(4, work_little);
  ASSERT_EQ(told_of_others(log).size(), 2U);
  EXPECT_EQ(told_of_others(log)[1].kind, DeviceEvent::restored);
  EXPECT_EQ(told_of_others(log)[1].message,
            "null has room again: others keep it 0 % busy (the test); our work takes at most 80 % of its time");
}

TEST_F(Crowds, AreForgottenWhereNothingIsPacedAnyMore) {
  Crowd crowd("null");
  crowd.load = 1;
  configure({.max_load = 0.8});
  crowd.during(1, work_little);
  const EventLog log;
  configure({.max_load = 1});
  ASSERT_EQ(log.events().size(), 1U);
  EXPECT_EQ(log.events()[0].kind, DeviceEvent::restored);
  EXPECT_EQ(log.events()[0].message, "null is no longer paced");
  for (int i = 0; i < 3; ++i) work_little();
  EXPECT_EQ(log.events().size(), 1U);
}

TEST_F(Crowds, AreNotWeOurselves) {
  const Environment all_cores("TIDEPOOL_THREADS", std::to_string(usable_cores()));
  Crowd crowd("cpu");
  configure({.max_load = 0.9});
  work_hard();
  const EventLog log;
  crowd.load = 0.3;
  crowd.during(4, work_hard);
  EXPECT_TRUE(told_of_others(log).empty()) << told_of_others(log)[0].message;
}

TEST_F(Crowds, OnTheCpuWorkOnTheCoresThatWeDoNotUse) {
  if (usable_cores() < 2) GTEST_SKIP() << "there is one core: give this process two or more";
  const Environment one_core("TIDEPOOL_THREADS", "1");
  Crowd crowd("cpu");
  configure({.max_load = 0.9});
  work_hard();
  const EventLog log;
  crowd.load = 0.9;  // more than we can have done, alone on our core
  crowd.during(1, work_hard);
  ASSERT_EQ(told_of_others(log).size(), 1U);
  EXPECT_HAS(told_of_others(log)[0].message, "cpu is paced: others keep it ");
}

TEST_F(LibraryTest, AShareThatMakesNoSenseIsRefused) {
  EXPECT_HAS(message_of<ArgumentError>([] { configure({.max_load = 0}); }), "max_load is 0; wanted a share from 0.01 to 1");
  EXPECT_HAS(message_of<ArgumentError>([] { configure({.wait_limit = 0}); }), "wait_limit is 0 s; wanted more than 0");
}

}  // namespace
}  // namespace tidepool::inline v0
