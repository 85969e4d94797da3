// What a report makes of a run: shares, bottlenecks, recommendations, and an earlier run beside it.
#include "monitor/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "monitor/report/bottlenecks.h"
#include "monitor/report_run.h"

namespace tidepool::inline v0::monitor {
namespace {

double sum_of_shares(const TimeSpent& time) {
  return std::accumulate(time.shares.begin(), time.shares.end(), 0.0, [](double sum, const TimeShare& part) { return sum + part.share; });
}

std::vector<Bottleneck::Kind> kinds_of(const Report& report) {
  std::vector<Bottleneck::Kind> kinds;
  for (const Bottleneck& found : report.bottlenecks) kinds.push_back(found.kind);
  return kinds;
}

const Change* find(const std::vector<Change>& changes, const std::string& name) {
  for (const Change& change : changes)
    if (change.figure == name) return &change;
  return nullptr;
}

TEST(ReportTime, PartsAddUpToTheWallTime) {
  const std::vector<MadeRun> mixes{
      {}, {.compute = 0}, {.compute = 0.9, .transfer = 0.5, .loader = 0.9}, {.compute = 3}, {.wait = 0.2}, {.samples = 1}};
  for (const MadeRun& mix : mixes) {
    const TimeSpent time = report_of(made_run(mix)).time;
    ASSERT_EQ(time.shares.size(), 7U);
    EXPECT_NEAR(sum_of_shares(time), 1, 1e-12);
    for (const TimeShare& part : time.shares) EXPECT_GE(part.share, 0) << part.kind;
  }
}

TEST(ReportTime, EachPartIsWhatWasMeasured) {
  const TimeSpent time = report_of(made_run({.compute = 0.5, .transfer = 0.1, .wait = 0.05, .loader = 0.2})).time;
  EXPECT_NEAR(time.seconds, 30, 1e-9);
  EXPECT_NEAR(time.share_of(TimeShare::compute), 0.5, 1e-9);
  EXPECT_NEAR(time.share_of(TimeShare::transfer), 0.1, 1e-9);
  EXPECT_NEAR(time.share_of(TimeShare::wait), 0.05, 1e-9) << "only what is beyond the device's work";
  EXPECT_NEAR(time.share_of(TimeShare::loader), 0.2, 0.01);
  EXPECT_NEAR(time.share_of(TimeShare::watching), 0.002, 1e-9);
  EXPECT_NEAR(time.share_of(TimeShare::host), 0.0024 / 30, 1e-9) << "the operations' calls";
  EXPECT_NEAR(time.share_of(TimeShare::unknown), 0.148, 0.01);
}

TEST(ReportTime, WhatGoesOnAtTheSameTimeCountsOnce) {
  const TimeSpent time = report_of(made_run({.compute = 0.95, .transfer = 0, .loader = 0.3})).time;
  EXPECT_NEAR(time.share_of(TimeShare::compute), 0.95, 1e-9);
  EXPECT_NEAR(time.share_of(TimeShare::loader), 0.05, 1e-9) << "the rest of it is hidden behind the device";
  EXPECT_EQ(time.share_of(TimeShare::unknown), 0);
}

TEST(ReportTime, WorkOnTheCpuIsNotCountedAgainAsHostTime) {
  RunRecord run = made_run({.compute = 0.5, .transfer = 0, .loader = 0});
  run.operations = {{.name = "matmul", .device = "cpu", .calls = 10, .host_ms = 16'000, .device_ms = 15'000, .share = 1}};
  EXPECT_NEAR(report_of(run).time.share_of(TimeShare::host), 1.0 / 30, 1e-9);
}

TEST(ReportTime, EstimatedKernelsOfTheCpuLeaveRoomForWhatWasTimed) {
  RunRecord run = made_run({.compute = 1.2, .transfer = 0.05, .loader = 0.1});
  run.device.kind = "cpu";
  const TimeSpent time = report_of(run).time;
  EXPECT_NEAR(time.share_of(TimeShare::transfer), 0.05, 1e-9);
  EXPECT_NEAR(time.share_of(TimeShare::loader), 0.1, 0.01);
  EXPECT_NEAR(time.share_of(TimeShare::watching), 0.002, 1e-9);
  EXPECT_NEAR(sum_of_shares(time), 1, 1e-12);
}

TEST(ReportTime, AnEarlierStretchThatTheLogForgotIsLeftOut) {
  RunRecord run = made_run({.compute = 0.5, .samples = 600});
  for (Sample& sample : run.samples)
    if (sample.time < 30) sample.compute_ms = sample.time * 1e3;  // busier at first
  run.samples.erase(run.samples.begin(), run.samples.begin() + 300);
  for (Sample& sample : run.samples) sample.compute_ms += 10'000;
  const TimeSpent time = report_of(run).time;
  EXPECT_NEAR(time.from, 30.1, 1e-9);
  EXPECT_NEAR(time.seconds, 29.9, 1e-9);
  EXPECT_NEAR(time.share_of(TimeShare::compute), 0.5, 1e-9);
  EXPECT_NEAR(sum_of_shares(time), 1, 1e-12);
}

TEST(ReportTime, TotalsThatBeginAnewOnAnotherDeviceAreAdded) {
  RunRecord run = made_run({.compute = 0.4});
  for (std::size_t i = 150; i < run.samples.size(); ++i) run.samples[i].compute_ms -= run.samples[149].compute_ms;
  EXPECT_NEAR(report_of(run).time.share_of(TimeShare::compute), 0.4, 1e-9);
}

TEST(ReportMemory, TellsThePeakItsTagsAndTheLargestHolders) {
  const MemorySpent memory = report_of(made_run()).memory;
  EXPECT_EQ(memory.peak, std::size_t{200} << 20);
  ASSERT_TRUE(memory.at_peak && memory.at_end);
  ASSERT_EQ(memory.at_peak->by_tag.size(), 5U) << "scratch is empty";
  EXPECT_EQ(memory.at_peak->by_tag[0].tag, "activations");
  EXPECT_EQ(memory.at_peak->by_tag[1].tag, "optimizer");
  EXPECT_GT(memory.at_peak->live, memory.at_end->live);
  EXPECT_NEAR(*memory.at_peak->idle_share, static_cast<double>(memory.at_peak->cached) / static_cast<double>(memory.at_peak->reserved),
              1e-12);
  ASSERT_EQ(memory.holders.size(), 3U);
  EXPECT_EQ(memory.holders[0].holder, "conv2d");
  EXPECT_EQ(memory.holders[0].bytes, std::size_t{100} << 20);
}

TEST(ReportMemory, BlocksOfOneHolderAreTakenTogether) {
  RunRecord run = made_run();
  run.pool->regions[0].blocks = {{0, 10, 0, "relu"}, {16, 50, 0, "matmul"}, {80, 45, 0, "relu"}, {128, 7, -1, "relu"}};
  const std::vector<PoolHolder> holders = report_of(run).memory.holders;
  ASSERT_EQ(holders.size(), 3U);
  EXPECT_EQ(holders[0].holder, "relu");
  EXPECT_EQ(holders[0].bytes, 55U);
  EXPECT_EQ(holders[0].blocks, 2U);
  EXPECT_EQ(holders[2].holder + holders[2].tag, "") << "an idle block is nobody's";
}

TEST(ReportBottlenecks, NameWhatTakesTheTimeTheWorstFirst) {
  EXPECT_EQ(kinds_of(report_of(made_run({.compute = 0.7, .transfer = 0.02, .loader = 0.2}))),
            (std::vector{Bottleneck::compute, Bottleneck::loader}));
  EXPECT_EQ(kinds_of(report_of(made_run({.compute = 0.1, .transfer = 0.5, .wait = 0.15, .loader = 0.2}))),
            (std::vector{Bottleneck::transfers, Bottleneck::loader, Bottleneck::waiting}));
  EXPECT_EQ(kinds_of(report_of(made_run({.compute = 0.3, .transfer = 0.05, .loader = 0.05, .launches_per_step = 4}))),
            (std::vector{Bottleneck::host}))
      << "few launches, and most of the time is the program's own";
  EXPECT_EQ(kinds_of(report_of(made_run({.compute = 0.3, .transfer = 0.05, .loader = 0.05, .launches_per_step = 400}))),
            (std::vector{Bottleneck::launches}));
}

TEST(ReportBottlenecks, NameTheKernelThatTakesMostInWhateverOrderTheRecordIs) {
  RunRecord run = made_run({.compute = 0.9, .transfer = 0, .loader = 0});
  std::reverse(run.kernels.begin(), run.kernels.end());
  const Report report = report_of(run);
  ASSERT_EQ(kinds_of(report), std::vector{Bottleneck::compute});
  EXPECT_EQ(report.bottlenecks[0].culprit, "`matmul_tiled`");
  EXPECT_EQ(
      report.bottlenecks[0].figure,
      "Kernels take 90.0 % of the wall time. `matmul_tiled` alone takes 55.0 % of the kernels' time: 92,812 launches of 160 µs each.");
  EXPECT_EQ(report.run.kernels[0].name, "matmul_tiled");
}

TEST(ReportBottlenecks, ATightMemoryLimitIsOne) {
  RunRecord run = made_run({.compute = 0.3, .limit = std::size_t{210} << 20});
  EXPECT_EQ(kinds_of(report_of(run)).back(), Bottleneck::memory);
  for (Sample& sample : run.samples) sample.evictions = 30'000;
  const Report report = report_of(run);
  EXPECT_EQ(report.bottlenecks.front().kind, Bottleneck::memory) << "it does little but give blocks back";
  EXPECT_NE(report.bottlenecks.front().figure.find("200 MiB is 95.2 % of the limit of 210 MiB; 30,000 blocks were given back"),
            std::string::npos)
      << report.bottlenecks.front().figure;
}

TEST(ReportRecommendations, AreOfSettingsThatThereAre) {
  const auto all = recommendations_of(made_run(), {{.kind = Bottleneck::watching, .share = 0.1}}, {});
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back().message, "Take samples less often, and leave out `every_operation`.");
  EXPECT_EQ(all.back().setting, "tp::monitor::enable({.period = 1})");
}

TEST(ReportRecommendations, GoByWhatTheyMaySave) {
  RunRecord run = made_run({.compute = 0.3, .transfer = 0.25, .loader = 0.35});
  run.advice = {
      {Advice::loader, 0.04, "low", ""}, {Advice::cache, 0.05, "medium", ""}, {Advice::threads, 0.2, "high", "TIDEPOOL_THREADS=2"}};
  const std::vector<Recommendation> all = report_of(run).recommendations;
  ASSERT_EQ(all.size(), 4U) << "for the loader there is advice already, for transfers there is none";
  EXPECT_EQ(all[0].message, "high");
  EXPECT_EQ(all[0].priority, Priority::high);
  EXPECT_EQ(all[0].setting, "TIDEPOOL_THREADS=2");
  EXPECT_EQ(all[1].message.substr(0, 30), "Keep tensors on the device fro");
  EXPECT_EQ(all[1].priority, Priority::medium);
  EXPECT_EQ(all[2].message, "medium");
  EXPECT_EQ(all[2].priority, Priority::medium);
  EXPECT_EQ(all[3].priority, Priority::low);
}

TEST(ReportComparison, APlantedRegressionIsFound) {
  const RunRecord earlier = made_run(), run = made_run({.seed = 2, .step_ms = 13, .memory = std::size_t{240} << 20, .kernel_us = 100});
  const Report report = report_of(run, &earlier);
  const Comparison& comparison = *report.comparison;
  const Change* median = find(comparison.figures, "step time (median)");
  ASSERT_TRUE(median && median->change);
  EXPECT_NEAR(*median->change, 0.3, 0.02);
  EXPECT_NEAR(median->spread, 0.05 * 13, 0.1);
  for (const char* name : {"step time (median)", "step time (99th percentile)", "samples a second", "time for an epoch", "peak memory"}) {
    const Change* change = find(comparison.figures, name);
    ASSERT_TRUE(change) << name;
    EXPECT_EQ(change->verdict, Change::worse) << name;
    EXPECT_TRUE(change->regression) << name;
  }
  for (const char* name : {"loss at the end", "accuracy at the end", "test loss at the end", "test accuracy at the end"})
    EXPECT_EQ(find(comparison.figures, name)->verdict, Change::same) << name;
  EXPECT_TRUE(find(comparison.kernels, "matmul_tiled")->regression);
  EXPECT_TRUE(has_regression(report));
  EXPECT_EQ(report.recommendations.front().message.substr(0, 14), "Find out first");
  const std::string markdown = to_markdown(report);
  EXPECT_LT(markdown.find("## Regressions"), markdown.find("## In short"));
  EXPECT_NE(markdown.find("- peak memory: 240 MiB, earlier 200 MiB **(+20.0 %)**"), std::string::npos) << markdown;

  const Report other_way = report_of(earlier, &run);
  EXPECT_FALSE(has_regression(other_way));
  EXPECT_EQ(find(other_way.comparison->figures, "step time (median)")->verdict, Change::better);
  EXPECT_EQ(find(other_way.comparison->figures, "samples a second")->verdict, Change::better);
}

TEST(ReportComparison, NoiseIsNoRegression) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    RunRecord earlier = made_run({.seed = seed, .noise = 0.15}), run = made_run({.seed = seed + 1000, .noise = 0.15});
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (RunRecord* each : {&earlier, &run}) {
      for (Sample& sample : each->samples)  // now and then something else has the machine
        if (random() % 60 == 0) sample.step_ms *= 6;
      for (KernelRow& row : each->kernels) row.mean_us *= std::max(0.5, 1 + 0.1 * normal(random));
    }
    const Report report = report_of(run, &earlier);
    for (const Change& change : regressions(report)) ADD_FAILURE() << "seed " << seed << ": " << change.figure << ' ' << *change.change;
  }
}

TEST(ReportComparison, ManyReadingsOfStepsTellMoreThanAFewSamples) {
  RunRecord earlier = made_run({.samples = 5}), run = made_run({.seed = 2, .samples = 5});
  earlier.figures["step_ms"] = {.count = 1000, .last = 2, .mean = 2.1, .least = 1.8, .most = 4, .p50 = 2, .p90 = 2.2, .p99 = 2.5};
  run.figures["step_ms"] = {.count = 1000, .last = 3, .mean = 3.1, .least = 2.8, .most = 90, .p50 = 3, .p90 = 3.2, .p99 = 4.1};
  const Report report = report_of(run, &earlier);
  const Change *median = find(report.comparison->figures, "step time (median)"),
               *last = find(report.comparison->figures, "step time (99th percentile)");
  ASSERT_TRUE(median && last);
  EXPECT_EQ(*median->now, 3);
  EXPECT_TRUE(median->regression);
  EXPECT_NEAR(*last->change, 0.64, 1e-9);
  EXPECT_EQ(last->verdict, Change::same) << "there were steps of 4 ms before, and 3.2 ms are usual now";
  EXPECT_NE(to_markdown(report).find("- A step took 3.00 ms (median), 4.10 ms at the 99th percentile.\n"), std::string::npos);
  EXPECT_EQ(to_markdown(report).find("`step_ms`"), std::string::npos) << "it is no figure of the program's own";
}

TEST(ReportComparison, AKernelIsBlamedOnlyWhenStepsAreSlower) {
  RunRecord earlier = made_run(), run = made_run();
  run.kernels[0].mean_us *= 1.25;
  EXPECT_FALSE(has_regression(report_of(run, &earlier)));
  EXPECT_EQ(report_of(run, &earlier).comparison->kernels[0].verdict, Change::worse);
  run.samples.clear();
  EXPECT_TRUE(report_of(run, &earlier).comparison->kernels[0].regression) << "nothing is known of steps";
}

TEST(ReportComparison, WhatIsLargeButWithinTheSpreadIsTheSame) {
  const RunRecord earlier = made_run({.noise = 0.4}), run = made_run({.seed = 2, .step_ms = 12, .noise = 0.4});
  const Report report = report_of(run, &earlier);
  const Change* median = find(report.comparison->figures, "step time (median)");
  EXPECT_GT(*median->change, 0.1);
  EXPECT_EQ(median->verdict, Change::same);
}

TEST(ReportComparison, ALossThatIsNoNumberAnyMoreIsARegression) {
  const RunRecord earlier = made_run();
  RunRecord run = made_run();
  run.epochs.back().loss = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Change> worse = regressions(report_of(run, &earlier));
  ASSERT_EQ(worse.size(), 1U);
  EXPECT_EQ(worse[0].figure, "loss at the end");
  EXPECT_FALSE(has_regression(report_of(earlier, &run)));
}

TEST(ReportComparison, AKernelThatIsSeldomTimedOrCostsLittleIsNoRegression) {
  const RunRecord earlier = made_run();
  RunRecord run = made_run({.step_ms = 15});
  const auto kernel = [&] { return report_of(run, &earlier).comparison->kernels[0]; };
  run.kernels[0].mean_us *= 2;
  EXPECT_TRUE(kernel().regression);
  run.kernels[0].timed = 7;
  EXPECT_EQ(kernel().verdict, Change::unclear);
  EXPECT_FALSE(kernel().regression);
  run.kernels[0].timed = 64;
  run.kernels[0].share = 0.03;
  EXPECT_EQ(kernel().verdict, Change::worse);
  EXPECT_FALSE(kernel().regression);
}

TEST(ReportComparison, WhatWasRunDifferentlyIsSaid) {
  const RunRecord earlier = made_run();
  RunRecord run = made_run();
  EXPECT_TRUE(report_of(run, &earlier).comparison->differences.empty());
  run.training->batch = 128;
  run.device.name = "llvmpipe";
  run.settings.memory_limit = 0;
  EXPECT_EQ(
      report_of(run, &earlier).comparison->differences,
      (std::vector<std::string>{"batch 128, earlier 64", "device llvmpipe, earlier Radeon RX 6600", "memory limit none, earlier 1 GiB"}));
}

TEST(ReportComparison, RunsWithNothingInCommonCompareToNothing) {
  const RunRecord nothing;
  const Report report = report_of(nothing, &nothing);
  EXPECT_TRUE(report.comparison->figures.empty());
  EXPECT_FALSE(has_regression(report));
  const RunRecord run = made_run();
  const Report half = report_of(run, &nothing);
  for (const Change& change : half.comparison->figures) EXPECT_EQ(change.verdict, Change::unclear) << change.figure;
}

}  // namespace
}  // namespace tidepool::inline v0::monitor
