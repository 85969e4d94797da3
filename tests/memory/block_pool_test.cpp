// The pool alone, on the null backend: lending, keeping and giving back.
#include "memory/block_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "support/pool_host.h"

namespace tidepool::inline v0 {
namespace {

constexpr std::size_t KiB = 1 << 10, MiB = 1 << 20;

TEST(BlockPool, LendsAReturnedBlockAgain) {
  WatchedPool host;
  const Block* first = host.take(MiB).block();
  const Storage again = host.take(MiB);
  EXPECT_EQ(again.block(), first);
  EXPECT_EQ(host.backend.counts.allocations, 1U);
  const PoolStats stats = host.pool.stats();
  EXPECT_EQ(stats.allocations, 1U);
  EXPECT_EQ(stats.reuses, 1U);
  EXPECT_EQ(stats.live, MiB);
  EXPECT_EQ(stats.cached(), 0U);
}

TEST(BlockPool, LendsTheMostRecentlyReturnedBlockFirst) {
  WatchedPool host;
  Storage a = host.take(MiB), b = host.take(MiB);
  const Block* last = b.block();
  a = {};
  b = {};
  EXPECT_EQ(host.take(MiB).block(), last) << "what was used last is warm";
}

TEST(BlockPool, SharesBlocksBetweenSizesOfOneStepAndNoOthers) {
  WatchedPool host;
  const Block* first = host.take(100 * KiB).block();
  EXPECT_EQ(host.take(99 * KiB).block(), first);
  EXPECT_NE(host.take(50 * KiB).block(), first) << "a block twice as large is not wasted on it";
  EXPECT_NE(host.take(105 * KiB).block(), first);
}

TEST(BlockPool, LendsExactSizesOnlyToTheSameSize) {
  WatchedPool host;
  const Block* first = host.take(200 * MiB).block();
  const Block* second = host.take(300 * MiB).block();
  EXPECT_NE(first, second);
  EXPECT_EQ(host.take(200 * MiB).block(), first);
  EXPECT_EQ(host.take(300 * MiB).block(), second);
  EXPECT_EQ(host.backend.counts.bytes, 500 * MiB) << "above 128 MiB nothing is rounded";
}

TEST(BlockPool, ForgetsTheVersionAndTagOfAReturnedBlock) {
  WatchedPool host;
  {
    const Storage written = host.take(MiB, MemoryTag::gradients);
    written->version = 7;
  }
  const Storage again = host.take(MiB);
  EXPECT_EQ(again->version, 0U);
  EXPECT_EQ(again->tag, MemoryTag::activations);
}

TEST(BlockPool, CountsWhatEachTagHolds) {
  WatchedPool host;
  const Storage a = host.take(MiB, MemoryTag::parameters), b = host.take(2 * MiB, MemoryTag::scratch);
  const auto held = [&](MemoryTag tag) { return host.pool.stats().by_tag[static_cast<std::size_t>(tag)]; };
  EXPECT_EQ(held(MemoryTag::parameters), MiB);
  EXPECT_EQ(held(MemoryTag::scratch), 2 * MiB);
  host.pool.retag(b.block(), MemoryTag::optimizer);
  EXPECT_EQ(held(MemoryTag::scratch), 0U);
  EXPECT_EQ(held(MemoryTag::optimizer), 2 * MiB);
}

TEST(BlockPool, RemembersThePeakUntilItIsReset) {
  WatchedPool host({.cached_per_class = 0});
  { const Storage a = host.take(3 * MiB), b = host.take(MiB - 100); }
  EXPECT_EQ(host.pool.stats().reserved, 0U);
  EXPECT_EQ(host.pool.stats().peak, 4 * MiB);
  EXPECT_EQ(host.pool.stats().peak_asked, 4 * MiB - 100);
  host.pool.reset_peak();
  EXPECT_EQ(host.pool.stats().peak, 0U);
}

TEST(BlockPool, KeepsAtMostTheCapOfIdleBlocksPerClass) {
  WatchedPool host({.cached_per_class = 3});
  std::vector<Storage> lent;
  std::vector<Memory*> order;
  for (int i = 0; i < 10; ++i) {
    lent.push_back(host.take(i % 2 ? MiB : MiB + 200 * KiB));  // two steps of one class
    order.push_back(lent.back()->memory);
  }
  const Storage other_class = host.take(4 * MiB);
  for (Storage& storage : lent) storage = {};
  EXPECT_EQ(host.pool.stats().evictions, 7U);
  EXPECT_EQ(host.backend.counts.frees, 7U);
  // The oldest went.
  order.resize(7);
  std::ranges::sort(order);
  std::ranges::sort(host.freed);
  EXPECT_EQ(host.freed, order);
}

TEST(BlockPool, KeepsAtMostFiftyUnlessToldOtherwise) {
  WatchedPool host;
  {
    std::vector<Storage> lent;
    for (int i = 0; i < 80; ++i) lent.push_back(host.take(MiB));
  }
  EXPECT_EQ(host.pool.stats().cached(), 50 * MiB);
}

TEST(BlockPool, KeepsWhatTheLastStepNeededBeyondTheCap) {
  WatchedPool host({.cached_per_class = 2});
  const auto step = [&](int blocks) {
    {
      std::vector<Storage> lent;
      for (int i = 0; i < blocks; ++i) lent.push_back(host.take(MiB));
    }
    host.pool.step_done();
  };
  step(10);  // nothing is known yet: all but the cap go back when the step returns them
  step(10);
  const std::size_t allocated = host.pool.stats().allocations;
  for (int i = 0; i < 5; ++i) step(10);
  EXPECT_EQ(host.pool.stats().allocations, allocated) << "a steady step asks nothing of the device";
  EXPECT_EQ(host.pool.stats().cached(), 10 * MiB);
  step(4);
  EXPECT_EQ(host.pool.stats().cached(), 6 * MiB) << "four that the last step needed, and the cap";
  step(0);
  EXPECT_EQ(host.pool.stats().cached(), 2 * MiB);
}

TEST(BlockPool, CutsSmallBlocksFromAFewSlabs) {
  WatchedPool host;
  std::vector<Storage> lent;
  std::map<Memory*, std::set<std::size_t>> offsets;
  for (int i = 0; i < 10'000; ++i) {
    lent.push_back(host.take(200));
    const Storage& block = lent.back();
    EXPECT_EQ(block->offset % 256, 0U);
    EXPECT_LE(block->offset + block->bytes, block->memory->bytes);
    EXPECT_TRUE(offsets[block->memory].insert(block->offset).second) << "lent twice";
  }
  EXPECT_LE(host.backend.counts.allocations, 40U);
  EXPECT_LE(host.backend.counts.bytes, host.pool.stats().live + 256 * KiB) << "the last slab is all that may be over";
}

TEST(BlockPool, StartsSlabsSmall) {
  WatchedPool host;
  const Storage one = host.take(1);
  EXPECT_LE(host.backend.counts.bytes, 4 * KiB);
}

TEST(BlockPool, GivesASlabBackOnlyWhenAllOfItIsIdle) {
  WatchedPool host;
  std::vector<Storage> lent;
  for (int i = 0; i < 100; ++i) lent.push_back(host.take(1000));
  Storage last = lent[50];
  lent.clear();
  host.pool.evict_all();
  EXPECT_EQ(host.pool.stats().live, 1024U);
  EXPECT_GT(host.pool.stats().reserved, 1024U) << "the rest of its slab stays";
  EXPECT_EQ(host.backend.counts.bytes, host.pool.stats().reserved);
  last = {};
  host.pool.evict_all();
  EXPECT_EQ(host.backend.counts.bytes, 0U);
}

TEST(BlockPool, KeepsASmallSlabWhenItsOneBlockIsReturned) {
  // 64 blocks of 64 bytes are in the smallest slab: more idle ones than the cap, in one allocation.
  WatchedPool host({}, {}, 64);
  for (int i = 0; i < 20; ++i) {
    {
      const Storage one = host.take(4);
    }
    host.pool.step_done();
  }
  EXPECT_EQ(host.backend.counts.allocations, 1U) << "a steady step asks nothing of the device";
}

TEST(BlockPool, EvictsNothingThatASubmissionMayStillUse) {
  WatchedPool host({.cached_per_class = 0}, {.latency = 3});  // the host fails the test when freed too early
  {
    const Storage used = host.take(MiB);
    host.use(used);
  }
  host.pool.trim();
  EXPECT_EQ(host.pool.stats().cached(), MiB) << "it is in the open batch";
  host.submit();
  host.pool.trim();
  EXPECT_EQ(host.pool.stats().cached(), MiB) << "it is on the device";
  const Storage other = host.take(5 * MiB);
  for (int i = 0; i < 3; ++i) {
    host.use(other);
    host.submit();
  }
  host.pool.trim();
  EXPECT_EQ(host.pool.stats().cached(), 0U);
}

TEST(BlockPool, EvictsNoSlabThatASubmissionMayStillUse) {
  WatchedPool host({.cached_per_class = 0}, {.latency = 3});
  {
    const Storage a = host.take(KiB), b = host.take(KiB);
    host.use(a);
  }
  host.submit();
  host.pool.trim();
  EXPECT_EQ(host.backend.counts.frees, 0U);
  host.finish_all();
  host.pool.trim();
  EXPECT_EQ(host.backend.counts.frees, 1U);
}

TEST(BlockPool, LendsABlockAgainWhileTheDeviceStillUsesIt) {
  WatchedPool host({}, {.latency = 1000});
  const Block* first = nullptr;
  {
    const Storage used = host.take(MiB);
    first = used.block();
    host.use(used);
  }
  host.submit();
  EXPECT_EQ(host.take(MiB).block(), first) << "work is in order, so nobody has to wait";
  EXPECT_EQ(std::ranges::count(host.log, "finish"), 0);
}

TEST(BlockPool, TakesLateBlocksInAfterItWasAbandoned) {
  WatchedPool host;
  Storage large = host.take(MiB), small = host.take(100);
  { const Storage idle = host.take(2 * MiB); }
  host.abandon();
  EXPECT_FALSE(host.pool.all_returned());
  large = {};
  EXPECT_FALSE(host.pool.all_returned());
  small = {};
  EXPECT_TRUE(host.pool.all_returned());
  EXPECT_EQ(host.backend.counts.frees, 0U) << "the memory went with its device";
  EXPECT_EQ(host.pool.stats().live, 0U);
}

TEST(BlockPool, TakesAbandonedBlocksInWhateverTheLimitsSay) {
  WatchedPool host({.cache = MiB, .cached_per_class = 0});
  std::vector<Storage> lent;
  for (int i = 0; i < 5; ++i) {
    lent.push_back(host.take(MiB));
    host.use(lent.back());
  }
  host.abandon();
  host.log.clear();
  lent.clear();
  EXPECT_TRUE(host.pool.all_returned());
  EXPECT_TRUE(host.log.empty()) << "an abandoned pool asks nothing of its device";
}

}  // namespace
}  // namespace tidepool::inline v0
