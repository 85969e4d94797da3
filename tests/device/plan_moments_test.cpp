// Plans on devices that fail, are late, or meet other threads, at the moment that matters.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "core/node.h"
#include "device/plan.h"
#include "support/broken_backend.h"
#include "support/devices.h"
#include "support/late_backend.h"

namespace tidepool::inline v0 {
namespace {

class PlanOnBrokenDevice : public LibraryTest {};

TEST_F(PlanOnBrokenDevice, APlanThatCouldNotBeMadeAnewIsMadeAnewByTheNextRun) {
  int made = 0;
  bool fails = false;
  open_broken_backend({.breaks = [&](const BackendCall& call) {
    made += call.kind == BackendCall::bake;
    if (fails && call.kind == BackendCall::bake) throw std::bad_alloc();
    return false;
  }});
  const Tensor x = ones({1000}), y = ones({1000}), large = ones({100'000}), other = ones({100'000});
  const auto steps = [](const Tensor& from, const Tensor& to) { tidy([&] { copy_(to, relu(from + 1.0F) + sum(from)); }); };
  const Plan small = capture([&] { steps(x, y); });
  small.run();
  const Plan moves_the_arena = capture([&] { steps(large, other); });
  fails = true;
  EXPECT_THROW(small.run(), std::bad_alloc);
  fails = false;
  const int before = made;
  small.run();
  EXPECT_EQ(made, before + 1) << "the old recording writes where others may be by now";
}

class PlanOnLateDevice : public LibraryTest {};

TEST_F(PlanOnLateDevice, AResultIsWaitedForWhenARunWritesIt) {
  reopen_null({.latency = 1'000'000});
  set_default_device(device("null"));
  const Tensor x = ones({10}), other = ones({10});
  Tensor escaped;
  const Plan plan = capture([&] {
    fill_(x, 2.0F);
    escaped = x + 1.0F;
  });
  sync();
  const auto waits_for = [](const Tensor& t) {
    const std::uint64_t before = null_backend().counts.waits;
    t.to_host<float>();
    return null_backend().counts.waits > before;
  };
  plan.run();
  EXPECT_FALSE(waits_for(other));
  EXPECT_TRUE(waits_for(x));
  plan.run();
  EXPECT_TRUE(waits_for(escaped));
}

TEST_F(PlanOnLateDevice, NothingIsTakenFromARunUnderWay) {
  static LateBackend::TooEarly too_early;
  open_late_backend(too_early);
  configure({.max_cached_per_class = 0});  // what is idle and finished goes at once
  Tensor x = ones({64 * 1024}), y = zeros({64 * 1024}), escaped;
  const auto chain = [&](int at_once) {
    tidy([&] {
      std::vector<Tensor> parts;
      for (int i = 0; i < at_once; ++i) parts.push_back(x + 1.0F);
      for (const Tensor& part : parts) copy_(y, part);
    });
  };
  Plan small = capture([&] {
    chain(2);
    escaped = x + y;
  });
  small.run();
  Plan large = capture([&] { chain(9); });  // the small plan's arena goes while it runs
  large.run();
  x = y = escaped = {};
  small.run();
  small = {};
  { const Tensor other = ones({1024 * 1024}); }
  large.run();
  large = {};
  memory();
  EXPECT_EQ(too_early.memory_freed, 0);
  EXPECT_EQ(too_early.recordings_destroyed, 0);
  sync();
  sync();  // the last step needed nothing
  EXPECT_EQ(memory().reserved_bytes, 0U) << "and afterwards all of it goes";
}

class PlanMemoryThreads : public LibraryTest {};

TEST_F(PlanMemoryThreads, AResultThatEndsWhileItGetsItsMemoryStaysThePlans) {
  Tensor result;
  std::thread other;
  bool captured = false;
  open_broken_backend({.fails = [&](const BackendCall& call) {
    if (!captured || call.kind != BackendCall::upload || other.joinable()) return false;
    const std::atomic<std::uint32_t>& handles = result.node()->storage->handles;
    other = std::thread([&] { result = {}; });
    while (handles > 0) std::this_thread::yield();
    return false;
  }});
  {
    const Tensor x = zeros({1000});
    const std::size_t before = memory().live_bytes;
    Plan plan = capture([&] {
      result = x + 1.0F;
      captured = true;
    });
    other.join();
    for (const Launch& launch : PlanAccess::state(plan).lowered())
      for (const Binding& binding : launch.bound()) EXPECT_NE(binding.memory, nullptr);
    EXPECT_GT(memory().live_bytes, before);
    plan.run();
    plan = {};
    EXPECT_EQ(memory().live_bytes, before);
  }
  reopen_null({});  // before what the broken one looks at is gone
}

}  // namespace
}  // namespace tidepool::inline v0
