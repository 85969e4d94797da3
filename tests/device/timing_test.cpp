// How long launches take, by the device's own clock, for whoever listens.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "monitor/event.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Clock final : public EventSink {
 public:
  explicit Clock(bool times) : EventSink(times) { event_sink.store(this); }
  ~Clock() { event_sink.store(nullptr); }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  void on(const Event& event) noexcept override {
    if (event.kind != Event::timed) return;
    ++count[event.name];
    nanoseconds[event.name] += event.nanoseconds;
    least = std::min(least, event.nanoseconds);
  }

  std::map<std::string, int> count;
  std::map<std::string, std::uint64_t> nanoseconds;
  std::uint64_t least = UINT64_MAX;  // of one launch
};

class Timing : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, Timing, devices_that_compute(), device_name);

TEST_P(Timing, EveryLaunchOnItsOwnIsTimed) {
  const Tensor a = ones({64, 64});
  sync();
  Clock clock(true);
  relu(a);
  sync();  // from the next batch on
  clock.count.clear();
  for (int i = 0; i < 10; ++i) sigmoid(a);
  matmul(a, a);
  sync();
  EXPECT_EQ(clock.count["sigmoid"], 10);
  EXPECT_GT(clock.nanoseconds["sigmoid"], 0U);
  EXPECT_EQ(clock.count.size(), 2U) << "and the product's kernel, whatever it is called here";
}

TEST_P(Timing, OneRunIn64OfAPlanIsTimedAndTheResultsAreTheSame) {
  const Tensor x = zeros({1000});
  const Plan plan = capture([&] { copy_(x, x + 1.0F); });
  sync();
  {
    Clock clock(true);
    plan.run();
    sync();
    clock.count.clear();
    for (int i = 0; i < 129; ++i) plan.run();
    sync();
    int timed = 0;
    for (const auto& [name, count] : clock.count) timed += count;
    EXPECT_EQ(timed, 3 * static_cast<int>(plan.launches())) << "three of 129 runs";
  }
  plan.run();
  expect_all(x, 131.0F);
}

TEST_P(Timing, ALongBatchAndALongPlanAreTimedAsFarAsThereIsRoom) {
  const Tensor x = zeros({16});
  configure({.max_commands = 2000});
  Clock clock(true);
  sync();
  relu(x);
  sync();  // from the next batch on
  clock.count.clear();
  for (int i = 0; i < 1100; ++i) fill_(x, 1.0F);
  sync();
  EXPECT_GE(clock.count["fill"], 1024);
  const Plan plan = capture([&] {
    for (int i = 1; i <= 1100; ++i) fill_(x, static_cast<float>(i));
  });
  ASSERT_EQ(plan.launches(), 1100);
  clock.count.clear();
  plan.run();
  sync();
  EXPECT_GE(clock.count["fill"], 1024);
}

TEST_P(Timing, NothingIsTimedThatNobodyAsksFor) {
  Clock clock(false);
  const Tensor x = ones({1000});
  const Plan plan = capture([&] { copy_(x, x * 1.0F); });
  for (int i = 0; i < 70; ++i) plan.run();
  relu(x);
  sync();
  EXPECT_TRUE(clock.count.empty());
}

// The clock is that of the work: a thousand times as much of it takes longer. Not a product, whose sizes may be different libraries' work.
TEST_P(Timing, MoreWorkTakesLonger) {
  Clock clock(true);
  sync();
  const auto time_of = [&](std::int64_t n) {
    const Tensor a = ones({n});
    sigmoid(a);
    sync();
    clock.least = UINT64_MAX;
    for (int i = 0; i < 10; ++i) sigmoid(a);
    sync();
    return clock.least;
  };
  // On a busy machine every one of ten may have been held up.
  bool longer = false;
  for (int i = 0; i < 20 && !longer; ++i) longer = time_of(1 << 20) > 4 * time_of(1 << 10);
  EXPECT_TRUE(longer);
}

}  // namespace
}  // namespace tidepool::inline v0
