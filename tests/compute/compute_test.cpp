// Batch compute: order, chunks, progress, memory.
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <thread>

#include "compute/items.h"

namespace tidepool::inline v0 {
namespace {

class Batches : public ComputeTest {};
INSTANTIATE_TEST_SUITE_P(On, Batches, devices_for_tests(), device_name);

TEST_P(Batches, ComeBackInOrder) {
  Compute compute({.chunk = 100});
  const Values all = items(250);
  expect_results(compute.run(all, [](const Tensor& t) { return doubled(t); }), doubled(all));
  EXPECT_TRUE(compute.failures().empty());
}

TEST_P(Batches, ComeBackInOrderStepByStep) {
  Compute compute;
  const Values all = items(250);
  const std::vector<std::span<const float>> spans(all.begin(), all.end());
  const std::vector<Tensor> ts = compute.upload(spans);
  ASSERT_EQ(ts.size(), 250U);
  EXPECT_EQ(ts[3].shape(), Shape({4}));
  const auto ys = compute.map(ts, [](const Tensor& t) { return doubled(t); });
  const std::vector<std::vector<float>> hs = compute.download(ys);
  expect_results(hs, doubled(all));
  expect_results(compute.download(ts), all, "the items are as they were");
}

TEST_P(Batches, MayHaveAnyNumberOfItemsAndItemsOfAnySize) {
  Compute compute({.chunk = 3});
  for (const std::size_t count : {0U, 1U, 2U, 3U, 4U, 6U, 7U}) {
    const Values all = items(count);
    expect_results(compute.run(all, [](const Tensor& t) { return doubled(t); }), doubled(all));
  }
  expect_results(compute.run(Values{{}, {1}}, [](const Tensor& t) { return doubled(t); }), {{}, {3}});
  const auto sums = compute.run(alike(5, 100), [](const Tensor& t) { return sum(t); });
  expect_results(sums, {{0}, {100}, {200}, {300}, {400}});
}

TEST_P(Batches, MayBeWrittenAsAList) {
  Compute compute;
  const std::vector<float> v{1, 2}, w{3};
  const auto plain = [](const Tensor& t) { return t * 1.0F; };
  expect_results(compute.download(compute.upload({v, w})), {v, w});
  expect_results(compute.download(compute.upload({v})), {v});
  EXPECT_TRUE(compute.upload({}).empty());
  expect_results(compute.download(compute.upload({{1.0F, 2.0F}, {3.0F}})), {v, w});
  expect_results(compute.download(compute.upload({std::span(v), std::span(v).first(1)})), {v, {1}});
  expect_results(compute.download(compute.upload({{v.data(), v.size()}, {w.data(), w.size()}})), {v, w});
  expect_results(compute.run({v, w}, plain), {v, w});
  expect_results(compute.run({v}, plain), {v});
  EXPECT_TRUE(compute.run({}, plain).empty());
  expect_results(compute.run({{1.0F, 2.0F}, {3.0F}}, plain), {v, w});
}

TEST_P(Batches, MayBeOneChunkHoweverLarge) {
  Compute compute({.chunk = std::numeric_limits<std::int64_t>::max()});
  const Values all = items(30);
  for (int i = 0; i < 2; ++i) expect_results(compute.run(all, [](const Tensor& t) { return doubled(t); }), doubled(all));
  expect_results(compute.download(compute.map(compute.upload(all), [](const Tensor& t) { return doubled(t); })), doubled(all));
}

TEST_P(Batches, TellTheirProgressAfterEachChunk) {
  std::vector<std::int64_t> done;
  Compute compute({.chunk = 100, .on_progress = [&](const ComputeProgress& p) {
                     done.push_back(p.done);
                     EXPECT_EQ(p.items, 250);
                     EXPECT_EQ(p.failed, 0);
                   }});
  const Values all = items(250);
  const std::vector<std::int64_t> expected{100, 200, 250};
  compute.run(all, [](const Tensor& t) { return doubled(t); });
  EXPECT_EQ(std::exchange(done, {}), expected);
  const auto ts = compute.upload(all);
  EXPECT_EQ(std::exchange(done, {}), expected);
  const auto ys = compute.map(ts, [](const Tensor& t) { return doubled(t); });
  EXPECT_EQ(std::exchange(done, {}), expected);
  compute.download(ys);
  EXPECT_EQ(done, expected);
}

// When the first chunk is delivered, the second is with the device.
TEST_P(Batches, LetTheHostAndTheDeviceWorkAtTheSameTime) {
  std::vector<std::int64_t> submitted, waited;
  Compute compute({.chunk = 10, .on_progress = [&](const ComputeProgress&) { submitted.push_back(faults::reached("submit")); }});
  const Values all = alike(40, 16);
  sync();
  faults::count();
  compute.run(all, [&](const Tensor& t) {
    waited.push_back(faults::reached("wait"));
    return doubled(t);
  });
  faults::set("");
  EXPECT_EQ(submitted, (std::vector<std::int64_t>{2, 3, 4, 4}));
  EXPECT_EQ(waited[19], 0) << "two chunks are submitted before anything is waited for";
  if (id() != "cpu") {
    EXPECT_EQ(waited[20], 1) << "for the first, before the third";
    EXPECT_EQ(waited[30], 2);
  }
}

// Nothing but the first result of a chunk is waited for: not the uploads, which go where nothing is read.
TEST_P(Batches, WaitOncePerChunk) {
  Compute compute({.chunk = 10});
  const Values all = alike(100, 16);
  sync();
  faults::count();
  compute.run(all, [](const Tensor& t) { return doubled(t); });
  EXPECT_LE(faults::reached("wait"), 12);
  EXPECT_EQ(faults::reached("upload"), 100);
  EXPECT_EQ(faults::reached("download"), 100);
  faults::set("");
}

TEST_P(Batches, LeaveMemoryAsItWas) {
  Compute compute({.chunk = 10});
  const Values all = alike(55, 5000);
  for (int round = 0; round < 3; ++round) {
    const MemoryStats before = memory();
    compute.run(all, [](const Tensor& t) { return sum(square(t)); });
    {
      const auto ts = compute.upload(all);
      const auto ys = compute.map(ts, [](const Tensor& t) { return sum(square(t)); });
      compute.download(ys);
    }
    EXPECT_EQ(memory().live_bytes, before.live_bytes);
    EXPECT_EQ(memory().tensors, before.tensors);
  }
}

TEST_P(Batches, HoldTwoChunksOnTheDeviceAtATime) {
  const Values all = alike(40, 250'000);  // 40 MB
  configure({.memory_limit = 24_MiB, .cache_limit = 1_MiB});
  Compute compute({.chunk = 4});
  reset_peak();
  expect_results(compute.run(all, [](const Tensor& t) { return sum(t) * 0.001F; }),
                 compute.run(all, [](const Tensor& t) { return sum(t) * 0.001F; }));
  EXPECT_EQ(compute.failures().size(), 0U);
  EXPECT_LE(memory().peak_bytes, 24_MiB);
}

TEST_P(Batches, TakeSmallerChunksWhereTheirsDoNotFit) {
  const Values all = alike(30, 250'000);
  configure({.memory_limit = 8_MiB, .cache_limit = 1_MiB});
  Compute compute({.chunk = 100});
  expect_results(compute.run(all, [](const Tensor& t) { return doubled(t); }), doubled(all));
}

TEST_P(Batches, FailForMemoryOnlyWhenAnItemDoesNotFitAlone) {
  Values all = alike(9, 100'000);
  all[4].assign(4'000'000, 1.0F);  // 16 MB
  configure({.memory_limit = 8_MiB, .cache_limit = 1_MiB});
  Compute compute({.chunk = 3, .on_error = OnError::skip});
  Values expected = doubled(all);
  expected[4].clear();
  expect_results(compute.run(all, [](const Tensor& t) { return doubled(t); }), expected);
  ASSERT_EQ(compute.failures().size(), 1U);
  EXPECT_EQ(compute.failures()[0].index, 4);
  EXPECT_THROW(std::rethrow_exception(compute.failures()[0].error), OutOfMemory);
}

TEST_P(Batches, ChooseTheirChunksByTheFreeMemory) {
  std::vector<std::int64_t> done;
  Compute compute({.chunk = 0, .on_progress = [&](const ComputeProgress& p) { done.push_back(p.done); }});
  const Values all = alike(200, 10'000);  // 40 kB each, and as much for its result
  expect_results(compute.run(all, [](const Tensor& t) { return doubled(t); }), doubled(all));
  ASSERT_GE(done.size(), 2U);
  EXPECT_EQ(done[0], 1) << "one, to see how much it takes";
  EXPECT_EQ(done[1], 200) << "then as many as there are";
  done.clear();
  configure({.memory_limit = 3200_KiB, .cache_limit = 100_KiB});
  cleanup();
  expect_results(compute.run(all, [](const Tensor& t) { return doubled(t); }), doubled(all));
  EXPECT_GE(done[1] - done[0], 5);
  EXPECT_LE(done[1] - done[0], 11) << "a quarter of 3,200 KiB holds ten";
}

TEST_P(Batches, GiveTheFunctionItemsThatItMayKeepOrReturn) {
  Compute compute({.chunk = 2});
  const Values all = alike(11, 3);
  std::vector<Tensor> kept;
  expect_results(compute.run(all,
                             [&](const Tensor& t) {
                               kept.push_back(t);
                               return t;
                             }),
                 all);
  ASSERT_EQ(kept.size(), 11U);
  for (std::size_t i = 0; i < kept.size(); ++i) expect_values(kept[i], all[i]);
  std::vector<Tensor> views;
  compute.run(all, [&](const Tensor& t) {
    views.push_back(keep(t.reshape({3, 1})));
    return sum(t);
  });
  for (std::size_t i = 0; i < views.size(); ++i) expect_values(views[i], all[i]);
}

TEST_P(Batches, AreNothingForACapture) {
  Compute compute;
  EXPECT_THROW(capture([&] { compute.run(items(3), [](const Tensor& t) { return doubled(t); }); }), Error);
}

TEST_P(Batches, RunInSeveralThreadsAtOnce) {
  const Values all = items(60);
  std::vector<Values> results(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : results)
      threads.emplace_back([&] {
        Compute compute({.chunk = 7});
        mine = compute.run(all, [](const Tensor& t) { return doubled(t); });
      });
  }
  for (const Values& mine : results) expect_results(mine, doubled(all));
}

TEST_P(Batches, TakeAKernelOfOnesOwn) {
  const Kernel halve({.name = "halve",
                      .glsl = R"(layout(push_constant) uniform P { uint n; } p;
                        layout(binding = 0) readonly buffer X { float x[]; };
                        layout(binding = 1) buffer Z { float z[]; };
                        void main() { if (item() < p.n) z[item()] = 0.5 * x[item()]; })",
                      .cpu =
                          [](KernelCall& call) {
                            for (std::int64_t i = 0; i < call.size(); ++i) call.buffer<float>(1)[i] = 0.5F * call.buffer<float>(0)[i];
                          },
                      .bindings = 2,
                      .writes = {1}});
  Compute compute({.chunk = 10});
  Values expected = items(35);
  for (auto& item : expected)
    for (float& v : item) v *= 0.5F;
  expect_results(compute.run(items(35),
                             [&](const Tensor& t) {
                               Tensor out = empty(t.shape());
                               halve(t.numel(), static_cast<std::uint32_t>(t.numel()), {t, out});
                               return out;
                             }),
                 expected);
}

TEST(BatchOptions, AreChecked) {
  EXPECT_EQ(message_of<ArgumentError>([] { Compute compute({.chunk = -1}); }), "compute: chunk is -1; wanted 0 or more");
  EXPECT_HAS(message_of<ArgumentError>([] { Compute compute({.max_recoveries = -1}); }), "max_recoveries is -1");
}

}  // namespace
}  // namespace tidepool::inline v0
