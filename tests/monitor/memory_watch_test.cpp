// Live memory: what looks like a leak or a jump and is none, and what does not look like one and is.
#include "monitor/memory_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "monitor/watched_run.h"

namespace tidepool::inline v0::monitor {
namespace {

// A run whose activations follow a function of the sample's number.
std::vector<Anomaly> watch_memory(int samples, const std::function<double(int)>& activations,
                                  const std::function<void(Sample&, int)>& change = {}) {
  int at = 0;
  SyntheticRun run(
      {.activations = [&](Random& random,
                          std::int64_t) { return activations(at) * (1 + 0.001 * std::normal_distribution<double>()(random)); }},
      7);
  AnomalyWatch watch;
  std::vector<Anomaly> found;
  for (; at < samples; ++at) {
    Sample sample = run.next();
    if (change) change(sample, at);
    for (Anomaly& a : watch.add(sample)) found.push_back(std::move(a));
  }
  return found;
}

TEST(MemoryWatch, GrowthAtTheStartIsNoLeak) {
  for (const double settled : {30.0, 200.0, 1500.0})
    EXPECT_EQ(told(watch_memory(8000, [&](int at) { return 2 - std::exp(-at / settled); })), "") << settled;
  EXPECT_TRUE(watch_memory(2000, [](int at) { return 0.1 + 0.01 * std::min(at, 300); }).empty()) << "a ramp that ends";
}

TEST(MemoryWatch, StairsThatEndAreNoLeak) {
  for (const int width : {5, 20, 60, 250})
    for (const int stairs : {1, 2, 3}) {
      const std::vector<Anomaly> found = watch_memory(4000, [&](int at) { return 1 + 0.08 * std::clamp((at - 1000) / width, 0, stairs); });
      EXPECT_TRUE(found.empty()) << stairs << " stairs of " << width << "\n" << told(found);
    }
}

TEST(MemoryWatch, SawTeethAreNoLeakWhateverTheirPeriod) {
  for (const int period : {7, 30, 90, 170, 400, 1000, 3000}) {
    const auto tooth = [&](int at) { return 1 + 0.6 * (at % period) / period; };
    const std::vector<Anomaly> found = watch_memory(12'000, tooth, [&](Sample& sample, int at) { sample.epoch = at / period; });
    EXPECT_TRUE(found.empty()) << "period " << period << "\n" << told(found);
  }
}

TEST(MemoryWatch, ALeakThatCreepsIsFoundByItsLength) {
  // 0.01 % of live memory in a sample: as much again in a quarter of an hour.
  const std::vector<Anomaly> found = watch_memory(3000, [](int at) { return 1 + 0.00025 * std::max(at - 1000, 0); });
  ASSERT_EQ(found.size(), 1U) << told(found);
  EXPECT_EQ(found[0].kind, Anomaly::leak);
  EXPECT_EQ(found[0].series, "live: activations");
  EXPECT_LT(found[0].time, 150) << "it began at 100 s";
}

TEST(MemoryWatch, AHeightThatWasSeenBeforeIsNothingNew) {
  const auto jumps = [](int at) { return at > 1000 && at % 500 < 60 ? 3 : 1; };  // an evaluation in every epoch, say
  std::vector<Anomaly> found = watch_memory(8000, jumps);
  ASSERT_EQ(found.size(), 1U) << told(found);
  EXPECT_EQ(found[0].kind, Anomaly::memory);
  const auto ramps = [](int at) { return at > 1000 && at % 500 < 100 ? 1 + 0.003 * (at % 500) : 1; };
  found = watch_memory(8000, ramps);
  ASSERT_EQ(found.size(), 1U) << told(found);
  EXPECT_EQ(found[0].kind, Anomaly::leak);
}

TEST(MemoryWatch, OfTwoTagsThatLeakTheOneThatGrowsMostIsNamed) {
  const std::vector<Anomaly> found = watch_memory(
      600, [](int) { return 1; },
      [](Sample& sample, int at) {
        const auto leaked = static_cast<std::size_t>(std::max(at - 500, 0));
        sample.by_tag[1] += 65'000 * leaked;
        sample.by_tag[3] += 64'000 * leaked;
        sample.live += 129'000 * leaked;
      });
  ASSERT_EQ(found.size(), 1U) << told(found);
  EXPECT_EQ(found[0].series, "live: parameters");
}

TEST(MemoryWatch, ALeakFromTheFirstSampleOnIsFoundOnceItHasOutlivedTwoEpochs) {
  const std::vector<Anomaly> found = watch_memory(4000, [](int at) { return 1 + 0.001 * at; });
  ASSERT_EQ(found.size(), 1U) << told(found);
  EXPECT_EQ(found[0].kind, Anomaly::leak);
  const std::vector<Anomaly> one_epoch = watch_memory(
      1900, [](int at) { return 1 + 0.001 * at; }, [](Sample& sample, int) { sample.epoch = 0; });
  EXPECT_TRUE(one_epoch.empty()) << "it may be a tooth as long as an epoch\n" << told(one_epoch);
}

TEST(MemoryWatch, ALeakNamesTheTagThatGrows) {
  SyntheticRun run({.activations = noisy(0.005)}, 3);
  AnomalyWatch watch;
  watch_on(watch, run, 200);
  run.leak = 0.001 * run.live();
  const std::vector<Anomaly> found = watch_on(watch, run, 50);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].series, "live: gradients");
  EXPECT_NE(found[0].message.find("live memory of gradients grows"), std::string::npos) << found[0].message;
  EXPECT_NE(found[0].message.find("19.1 MiB was usual"), std::string::npos) << found[0].message;
  EXPECT_GT(found[0].value, 20e6);
  EXPECT_NEAR(found[0].high, 20e6, 1e5);
}

TEST(MemoryWatch, BytesThatGoFromOneTagToAnotherAreNoLeak) {
  const std::vector<Anomaly> found = watch_memory(
      1000, [](int) { return 1; },
      [](Sample& sample, int at) {
        const auto moved = static_cast<std::size_t>(100'000 * std::clamp(at - 500, 0, 150));
        sample.by_tag[1] += moved;
        sample.by_tag[3] -= moved;
      });
  EXPECT_TRUE(found.empty()) << told(found);
}

TEST(MemoryWatch, WithoutTagsTheWholeOfLiveMemoryIsLookedAt) {
  const std::vector<Anomaly> found = watch_memory(
      600, [](int at) { return 1 + 0.003 * std::max(at - 500, 0); }, [](Sample& sample, int) { sample.by_tag.clear(); });
  ASSERT_EQ(found.size(), 1U) << told(found);
  EXPECT_EQ(found[0].series, "live");
}

TEST(MemoryWatch, APlanThatIsCapturedIsNoJump) {
  const std::vector<Anomaly> found = watch_memory(
      600, [](int) { return 1; },
      [](Sample& sample, int at) {
        if (at < 300) return;
        sample.by_tag[4] += 200'000'000;  // the first evaluation has a plan of its own
        sample.live += 200'000'000;
      });
  EXPECT_TRUE(found.empty()) << told(found);
}

TEST(MemoryWatch, WhenTrainingBeginsNothingFromBeforeHolds) {
  const std::vector<Anomaly> found = watch_memory(
      600, [](int at) { return at < 300 ? 0.01 : 1; },
      [](Sample& sample, int at) {
        if (at < 300) sample.steps = 0, sample.step_ms = 0, sample.by_tag = {400'000}, sample.live = 400'000;
      });
  EXPECT_TRUE(found.empty()) << told(found);
}

TEST(MemoryWatch, WhatIsSmallIsNotWorthAWord) {
  const std::vector<Anomaly> found = watch_memory(
      2000, [](int) { return 1; },
      [](Sample& sample, int at) {
        const auto bytes = static_cast<std::size_t>(at < 500 ? 2000 : std::min(60'000, 2000 + 30 * (at - 500)));
        sample.by_tag = {bytes};
        sample.live = bytes;
      });
  EXPECT_TRUE(found.empty()) << told(found);
}

TEST(MemoryWatch, AJumpSaysHowMuchWhereAndWhatWasUsual) {
  const std::vector<Anomaly> found = watch_memory(400, [](int at) { return at < 300 ? 1 : 3; });
  ASSERT_EQ(found.size(), 1U) << told(found);
  EXPECT_EQ(found[0].kind, Anomaly::memory);
  EXPECT_EQ(found[0].series, "live");
  EXPECT_NEAR(found[0].value, 180e6, 1e6);
  EXPECT_NEAR(found[0].high, 100e6, 1e6);
  EXPECT_NE(found[0].message.find("171.6 MiB where 95."), std::string::npos) << found[0].message;
  EXPECT_NE(found[0].message.find("most of it activations"), std::string::npos) << found[0].message;
}

}  // namespace
}  // namespace tidepool::inline v0::monitor
