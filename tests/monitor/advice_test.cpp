// Advice: for each kind a run that must get it, and its near twin that must not.
#include "monitor/advice.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tidepool::inline v0::monitor {
namespace {

constexpr std::size_t mib = 1 << 20;

DeviceInfo device_there(const char* id, const char* kind, std::size_t memory, std::optional<double> load = {}) {
  DeviceInfo info;
  info.id = id;
  info.name = std::string("a ") + kind + " device";
  info.kind = kind;
  info.memory_total = memory;
  info.load = load;
  return info;
}

// A run of a minute, the same in every sample, that has nothing to improve: on a GPU with enough to do.
struct Case {
  double step_ms = 10, loader_ms = 0.1, compute_ms = 9;  // of a step
  double uneven = 1;                                     // every eighth sample has steps so many times as long
  double launches = 120, flushes = 1, plan_runs = 1;     // of a step
  double allocations = 0, evictions = 0, reuses = 40;    // of a step
  std::size_t live = 300 * mib, cached = 50 * mib, limit = 0, activations = 200 * mib;
  std::optional<double> crowd;
  std::int64_t batch = 256, samples = 60'000;
  std::string task = "fashion-mnist", kind = "discrete", id = "vulkan:0";
  std::size_t device_memory = 8192 * mib;
  RunSettings settings{.threads = 4, .max_commands = 100, .max_cached_per_class = 50, .memory_limit = 0, .cache_limit = 512 * mib};
  MachineFacts machine{.cores = 4, .devices = {device_there("cpu", "cpu", 0)}};
  double seconds = 60;
  bool training = true;

  RunRecord record() const {
    RunRecord run;
    run.time = seconds;
    run.device = {.id = id, .name = "a device", .kind = kind, .driver = "", .memory_total = device_memory};
    run.settings = settings;
    if (training) {
      run.training = RunTraining{.task = task, .epochs = 10, .batch = batch, .samples = samples};
      run.training->batches = (samples + batch - 1) / batch;
    }
    Sample s;
    s.device = id;
    double steps = 0;
    for (int i = 1; i <= static_cast<int>(seconds * 10); ++i) {
      const double ms = i % 8 == 0 ? uneven * step_ms : step_ms;
      steps += 100 / ms;
      const auto count = [&](double each) { return static_cast<std::uint64_t>(each * steps); };
      s.time = 0.1 * i;
      s.live = live;
      s.cached = cached;
      s.reserved = s.peak = live + cached;
      s.limit = limit;
      s.by_tag = {activations, live - activations, 0, 0, 0, 0};
      s.launches = count(launches);
      s.flushes = count(flushes);
      s.plan_runs = count(plan_runs);
      s.allocations = count(allocations);
      s.evictions = count(evictions);
      s.reuses = count(reuses);
      s.compute_ms = compute_ms * steps;
      s.system_utilisation = crowd;
      if (training) {
        s.steps = static_cast<std::int64_t>(steps);
        s.step_ms = ms;
        s.loader_ms = loader_ms;
      }
      run.samples.push_back(s);
    }
    if (run.samples.size() > 1000) run.samples.erase(run.samples.begin(), run.samples.end() - 1000);
    return run;
  }
  std::vector<Advice> advice() const { return advise(record(), machine); }
};

Case on_cpu() {
  Case run;
  run.kind = run.id = "cpu";
  run.flushes = 0;
  return run;
}

std::string told(const std::vector<Advice>& all) {
  std::string text;
  for (const Advice& a : all) text += "  " + std::to_string(a.gain) + " " + a.setting + " | " + a.message + "\n";
  return text;
}

void expect_only(const Case& run, Advice::Kind kind, const std::string& setting, const std::string& said) {
  const std::vector<Advice> all = run.advice();
  ASSERT_EQ(all.size(), 1U) << told(all);
  EXPECT_EQ(all[0].kind, kind) << told(all);
  EXPECT_EQ(all[0].setting, setting);
  EXPECT_NE(all[0].message.find(said), std::string::npos) << all[0].message;
  EXPECT_GE(all[0].gain, 0.03);
  EXPECT_LE(all[0].gain, 1);
}

void expect_none(const Case& run) {
  const std::vector<Advice> all = run.advice();
  EXPECT_TRUE(all.empty()) << told(all);
}

TEST(Advice, ARunThatIsWellSetUpGetsNone) {
  expect_none({});
  expect_none(on_cpu());
}

TEST(Advice, ThereIsNoneBeforeEnoughIsKnown) {
  Case run;
  run.compute_ms = 1;
  run.step_ms = 4;
  EXPECT_EQ(run.advice().size(), 1U);
  run.seconds = 3.5;
  expect_none(run);
  EXPECT_TRUE(advise({}, {}).empty());
}

// --- the batch ---

Case small_batch() {
  Case run;
  run.batch = 64;
  run.step_ms = 2;
  run.compute_ms = 0.4;
  run.loader_ms = 0.02;
  return run;
}

TEST(Advice, ABatchThatLeavesTheDeviceIdleIsTooSmall) {
  expect_only(small_batch(), Advice::batch, "--batch 512", "a step takes 2 ms of which vulkan:0 computes 0.4 ms, in 120 launches");
  Case own = small_batch();
  own.task = "";
  EXPECT_EQ(own.advice().at(0).setting, "TrainOptions{.batch = 512}");
}

TEST(Advice, ABatchIsNotTooSmallWhenTheDeviceIsBusyOrTheLoaderHoldsItUp) {
  Case run = small_batch();
  run.compute_ms = 1.6;
  expect_none(run);
  run = small_batch();
  run.loader_ms = 1;
  for (const Advice& a : run.advice()) EXPECT_NE(a.kind, Advice::batch) << a.message;
}

TEST(Advice, ABatchGrowsNoFurtherThanSamplesAndMemoryAllow) {
  Case run = small_batch();
  run.samples = 1000;
  expect_none(run);
  run.samples = 2000;
  EXPECT_EQ(run.advice().at(0).setting, "--batch 128");
  run = small_batch();
  run.limit = 700 * mib;
  expect_none(run);
}

// --- flushes ---

Case many_flushes() {
  Case run;
  run.plan_runs = 0;
  run.launches = 800;
  run.flushes = 8;
  return run;
}

TEST(Advice, CommandsThatAreSentByTheHundredMayBeSentTogether) {
  expect_only(many_flushes(), Advice::flush, "configure({.max_commands = 900})", "because max_commands is 100 and a step has 800");
  Case free = many_flushes();
  free.training = false;
  expect_only(free, Advice::flush, "configure({.max_commands = 400})", "800 times a second, 100 launches at a time");
}

TEST(Advice, FlushesThatAreAskedForOrFewAreLeftAlone) {
  Case run = many_flushes();
  run.launches = 480;  // of 60 launches each: somebody waited
  expect_none(run);
  run = many_flushes();
  run.launches = 100;
  run.flushes = 1;
  expect_none(run);
  run = many_flushes();
  run.plan_runs = 1;
  expect_none(run);
  run = many_flushes();
  run.kind = run.id = "cpu";
  expect_none(run);
}

TEST(Advice, CommandsThatAreSentByTheThousandAreEnough) {
  const auto at = [](std::int64_t most) {
    Case run = many_flushes();
    run.settings.max_commands = most;
    run.flushes = 80;
    run.launches = run.flushes * static_cast<double>(most);
    return run;
  };
  for (const bool training : {true, false})
    for (const std::int64_t most : {1001, 1500, 2000, 5000, 100'000}) {
      Case run = at(most);
      run.training = training;
      expect_none(run);
    }
  expect_only(at(1000), Advice::flush, "configure({.max_commands = 2000})", "because max_commands is 1000 and a step has 80000");
}

// --- the cache ---

Case circles() {
  Case run;
  run.allocations = run.evictions = 12;
  return run;
}

TEST(Advice, BlocksThatAreEvictedAndAllocatedAgainWantALargerCache) {
  Case run = circles();
  expect_only(run, Advice::cache, "configure({.max_cached_per_class = 100})", "at most 50 idle blocks of a size are kept");
  run.cached = 480 * mib;
  expect_only(run, Advice::cache, "configure({.cache_limit = 1_GiB})", "23 % are allocated anew (1200 a second)");
  run.cached = 140 * mib;
  run.settings.cache_limit = 150 * mib;
  EXPECT_EQ(run.advice().at(0).setting, "configure({.cache_limit = 300_MiB})");
}

TEST(Advice, AllocationsWithoutEvictionsOrRareOnesAreNoReasonForALargerCache) {
  Case run = circles();
  run.evictions = 0;
  expect_none(run);
  run = circles();
  run.allocations = run.evictions = 0.2;
  expect_none(run);
}

TEST(Advice, WhereTheMemoryLimitEvictsALargerCacheIsNoHelp) {
  Case run = circles();
  run.limit = 360 * mib;
  for (const Advice& a : run.advice()) EXPECT_EQ(a.kind, Advice::memory) << a.message;
}

// --- threads ---

TEST(Advice, ThreadsFollowTheCores) {
  Case run = on_cpu();
  run.settings.threads = 1;
  expect_only(run, Advice::threads, "TIDEPOOL_THREADS=4", "1 thread computes 90 % of the time where this process may use 4 cores");
  run.settings.threads = 8;
  expect_only(run, Advice::threads, "TIDEPOOL_THREADS=4", "8 threads compute on 4 cores");
}

TEST(Advice, CoresThatOthersUseOrWorkThatIsSmallNeedNoMoreThreads) {
  Case run = on_cpu();
  run.settings.threads = 1;
  run.crowd = 0.9;
  expect_none(run);
  run = on_cpu();
  run.settings.threads = 1;
  run.step_ms = 0.5;
  run.compute_ms = 0.45;
  run.loader_ms = 0;
  expect_none(run);
  run = Case();
  run.settings.threads = 1;
  expect_none(run);  // the GPU does the work
}

TEST(Advice, OnACrowdedMachineFewerThreadsWaitLess) {
  Case run = on_cpu();
  run.crowd = 0.99;
  run.uneven = 5;
  run.compute_ms = 13;
  expect_only(run, Advice::threads, "TIDEPOOL_THREADS=3", "while others keep all cores busy (99 %)");
  run.crowd = 0.8;
  expect_none(run);
  run.crowd = 0.99;
  run.uneven = 1.2;
  run.compute_ms = 9;
  expect_none(run);
}

// --- the loader ---

TEST(Advice, StepsThatWaitForTheirBatches) {
  Case run;
  run.loader_ms = 3;
  run.compute_ms = 6.5;
  expect_only(run, Advice::loader, "data::from_tensors(x_as_u8, y).normalized(mean, deviation)",
              "steps wait 3 ms of 10 ms for their batches (30 %)");
  run = on_cpu();
  run.loader_ms = 3;
  run.compute_ms = 6.5;
  expect_only(run, Advice::loader, "TIDEPOOL_THREADS=3", "4 threads compute on 4 cores: leave one to the loader");
  run.loader_ms = 0.8;
  expect_none(run);
}

// --- the device ---

TEST(Advice, AGpuThatIsIdleWhileTheProcessorWorks) {
  Case run = on_cpu();
  run.machine.devices.push_back(device_there("vulkan:0", "integrated", 2048 * mib));
  run.machine.devices.push_back(device_there("vulkan:1", "discrete", 8192 * mib, 0.02));
  expect_only(run, Advice::device, "--device vulkan:1", "vulkan:1 (a discrete device) is there and is 98 % idle");
  run.task = "";
  EXPECT_EQ(run.advice().at(0).setting, "TIDEPOOL_DEVICE=vulkan:1");
}

TEST(Advice, AGpuThatIsBusySmallInSoftwareOrNotWorthItIsNoAdvice) {
  const DeviceInfo gpu = device_there("vulkan:0", "discrete", 8192 * mib);
  Case run = on_cpu();
  run.machine.devices.push_back(gpu);
  run.machine.devices.back().load = 0.9;
  expect_none(run);
  run.machine.devices.back() = gpu;
  run.machine.devices.back().memory_total = 200 * mib;
  expect_none(run);
  run.machine.devices.back() = gpu;
  run.machine.devices.back().kind = "software";
  expect_none(run);
  run.machine.devices.back() = gpu;
  run.step_ms = 0.5;
  run.compute_ms = 0.45;
  run.loader_ms = 0;
  expect_none(run);
}

TEST(Advice, ADeviceInSoftwareIsNoneToTrainOn) {
  Case run;
  run.kind = "software";
  expect_only(run, Advice::device, "--device cpu", "vulkan:0 is a graphics device in software");
}

// --- memory ---

TEST(Advice, MemoryThatIsNearlyFull) {
  Case run;
  run.limit = 330 * mib;
  run.device_memory = 400 * mib;
  run.cached = 0;
  expect_only(run, Advice::memory, "TrainOptions{.micro_batch = 128}", "live memory was at 300 MiB of the limit of 330 MiB (91 %)");
  run.device_memory = 8192 * mib;
  expect_only(run, Advice::memory, "--memory-limit 512MiB", "while vulkan:0 has 8 GiB: raise the limit");
  run.task = "";
  EXPECT_EQ(run.advice().at(0).setting, "configure({.memory_limit = 512_MiB})");
}

TEST(Advice, ACacheThatFillsTheRestOfTheLimitIsNoShortage) {
  Case run;
  run.limit = 600 * mib;
  run.cached = 290 * mib;
  expect_none(run);
}

// --- together ---

TEST(Advice, TheMostUsefulComesFirst) {
  Case run = on_cpu();
  run.settings.threads = 2;
  run.loader_ms = 2;
  run.compute_ms = 7;
  run.allocations = run.evictions = 20;
  const std::vector<Advice> all = run.advice();
  ASSERT_EQ(all.size(), 3U) << told(all);
  EXPECT_EQ(all[0].kind, Advice::threads);
  EXPECT_EQ(all[1].kind, Advice::cache);
  EXPECT_EQ(all[2].kind, Advice::loader);
  EXPECT_TRUE(std::ranges::is_sorted(all, std::greater<>(), &Advice::gain)) << told(all);
}

TEST(Advice, WhatComesAfterTheLastStepDoesNotCount) {
  RunRecord run = small_batch().record();
  for (int i = 0; i < 400; ++i) {
    Sample idle = run.samples.back();
    idle.time += 0.1;
    idle.step_ms = idle.loader_ms = 0;
    run.samples.push_back(idle);
  }
  const std::vector<Advice> all = advise(run, Case().machine);
  ASSERT_EQ(all.size(), 1U) << told(all);
  EXPECT_EQ(all[0].kind, Advice::batch);
}

TEST(Advice, EvaluationDoesNotCount) {
  RunRecord run = small_batch().record();
  double compute = 0;
  std::int64_t steps = 0;
  for (std::size_t i = 0; i < run.samples.size(); ++i) {  // the device is busy while it evaluates, which it does most of the time
    const bool evaluates = i % 40 < 30 && i + 1 < run.samples.size();
    compute += evaluates ? 100 : 20;
    steps += evaluates ? 0 : 50;
    run.samples[i].compute_ms = compute;
    run.samples[i].steps = steps;
    if (evaluates) run.samples[i].step_ms = run.samples[i].loader_ms = 0;
  }
  const std::vector<Advice> all = advise(run, Case().machine);
  ASSERT_EQ(all.size(), 1U) << told(all);
  EXPECT_EQ(all[0].kind, Advice::batch);
}

}  // namespace
}  // namespace tidepool::inline v0::monitor
