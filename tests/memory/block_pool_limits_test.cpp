// The pool alone, on the null backend: its limits, and what it does under pressure.
#include <gtest/gtest.h>
#include <tidepool/error.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "memory/block_pool.h"
#include "support/errors.h"
#include "support/pool_host.h"

namespace tidepool::inline v0 {
namespace {

constexpr std::size_t KiB = 1 << 10, MiB = 1 << 20;

std::string out_of_memory_message(WatchedPool& host, std::size_t bytes, const char* operation = "matmul") {
  return message_of<OutOfMemory>([&] { host.pool.take(bytes, MemoryTag::activations, operation); });
}

TEST(BlockPoolLimits, EvictsTheLeastRecentlyUsedBlockAcrossClasses) {
  WatchedPool host({.cache = 64 * MiB});
  Storage a = host.take(MiB), b = host.take(64 * KiB), c = host.take(4 * MiB), d = host.take(100);
  Memory *const ma = a->memory, *const mb = b->memory, *const mc = c->memory, *const md = d->memory;
  c = {};
  a = {};
  d = {};
  b = {};
  { const Storage again = host.take(4 * MiB); }  // c is young again
  host.pool.evict_all();
  EXPECT_EQ(host.freed, (std::vector<Memory*>{ma, md, mb, mc}));
}

TEST(BlockPoolLimits, EvictsOnlyAsMuchAsIsNeeded) {
  WatchedPool host({.memory = 10 * MiB});
  Storage a = host.take(2 * MiB), b = host.take(3 * MiB), c = host.take(4 * MiB);
  Memory *const ma = a->memory, *const mb = b->memory;
  a = {};
  b = {};
  c = {};
  const Storage d = host.take(5 * MiB);
  EXPECT_EQ(host.freed, (std::vector<Memory*>{ma, mb}));
  EXPECT_EQ(host.pool.stats().reserved, 9 * MiB);
}

TEST(BlockPoolLimits, KeepsIdleBytesUnderTheCacheLimit) {
  WatchedPool host({.cache = 5 * MiB});
  std::vector<Storage> lent;
  for (int i = 0; i < 8; ++i) {
    lent.push_back(host.take(2 * MiB));
    host.use(lent.back());
  }
  Memory* const kept = lent.back()->memory;
  lent.clear();
  EXPECT_EQ(host.pool.stats().cached(), 4 * MiB);
  EXPECT_EQ(host.take(2 * MiB)->memory, kept);
  EXPECT_EQ(host.pool.stats().evictions, 6U);
}

TEST(BlockPoolLimits, LetsABlockLargerThanTheCacheGoAtOnce) {
  WatchedPool host({.cache = MiB});
  { const Storage large = host.take(2 * MiB); }
  EXPECT_EQ(host.pool.stats().reserved, 0U);
}

TEST(BlockPoolLimits, ObeysALowerCacheLimitAtOnce) {
  WatchedPool host;
  {
    std::vector<Storage> lent;
    for (int i = 0; i < 20; ++i) lent.push_back(host.take(MiB));
  }
  EXPECT_EQ(host.pool.stats().cached(), 20 * MiB);
  host.set_limits({.cache = 3 * MiB});
  EXPECT_EQ(host.backend.counts.bytes, 3 * MiB);
}

TEST(BlockPoolLimits, ObeysALowerMemoryLimitByGivingUpIdleBlocks) {
  WatchedPool host;
  const Storage live = host.take(2 * MiB);
  {
    std::vector<Storage> lent;
    for (int i = 0; i < 20; ++i) lent.push_back(host.take(MiB));
  }
  host.set_limits({.memory = 5 * MiB});
  EXPECT_LE(host.backend.counts.bytes, 5 * MiB) << "idle blocks are over the limit that was just set";
}

TEST(BlockPoolLimits, FillsTheLimitToTheLastByte) {
  WatchedPool host({.memory = 8 * MiB});
  const Storage a = host.take(3 * MiB), b = host.take(5 * MiB);
  EXPECT_EQ(host.backend.counts.bytes, 8 * MiB);
  out_of_memory_message(host, 1);
}

TEST(BlockPoolLimits, CutsNoSlabThatTheLimitHasNoRoomFor) {
  WatchedPool host({.memory = MiB + 512});
  const Storage most = host.take(MiB);
  const Storage a = host.take(256), b = host.take(256);
  EXPECT_EQ(host.backend.counts.bytes, MiB + 512);
}

TEST(BlockPoolLimits, UnderPressureFinishesThenEvictsThenDropsPlansThenGivesUp) {
  WatchedPool host({.memory = 4 * MiB});
  const Storage live = host.take(MiB);
  host.plans.push_back(host.take(MiB, MemoryTag::plan));
  {
    const Storage idle = host.take(MiB + 64 * KiB);
    host.use(idle);
  }
  host.log.clear();
  Storage large = host.take(3 * MiB);
  EXPECT_EQ(host.log, (std::vector<std::string>{"finish", "free", "drop plan", "free", "allocate"}));
  host.log.clear();
  out_of_memory_message(host, MiB);
  EXPECT_EQ(host.log, (std::vector<std::string>{"finish"})) << "there is nothing left to evict or drop";
  large = {};
  const Storage next = host.take(2 * MiB);  // everything still works
}

TEST(BlockPoolLimits, ReusesABlockThatFinishingBroughtBack) {
  // A block comes back from another thread between the first look and the pressure: it is lent, not evicted.
  WatchedPool host({.memory = 4 * MiB});
  Storage a = host.take(3 * MiB);
  Block* const block = a.block();
  a = {};
  EXPECT_EQ(host.take(3 * MiB).block(), block);
}

TEST(BlockPoolLimits, DropsOnlyAsManyPlansAsAreNeeded) {
  WatchedPool host({.memory = 8 * MiB});
  for (int i = 0; i < 4; ++i) host.plans.push_back(host.take(2 * MiB, MemoryTag::plan));
  const Storage wanted = host.take(3 * MiB);
  EXPECT_EQ(host.plans.size(), 2U);
}

TEST(BlockPoolLimits, MakesRoomWhenTheDeviceItselfHasNone) {
  WatchedPool host({}, {.memory = 4 * MiB});
  { const Storage idle = host.take(3 * MiB); }
  const Storage other = host.take(2 * MiB);
  EXPECT_EQ(host.log, (std::vector<std::string>{"allocate", "refused", "finish", "free", "allocate"}));
}

TEST(BlockPoolLimits, SaysWithAllFiguresWhyThereIsNoMemory) {
  WatchedPool host({.memory = 64 * MiB});
  const Storage p = host.take(10 * MiB, MemoryTag::parameters), g = host.take(9 * MiB, MemoryTag::gradients);
  const Storage o = host.take(20 * MiB, MemoryTag::optimizer), n = host.take(2 * MiB, MemoryTag::plan);
  const Storage s = host.take(MiB, MemoryTag::scratch), a = host.take(12 * MiB + 512 * KiB);
  EXPECT_EQ(out_of_memory_message(host, 40 * MiB),
            "matmul: asked 40 MiB of null: limit 64 MiB, live 54.5 MiB, cached 0 B, largest free 0 B; held by optimizer 20 MiB, "
            "activations 12.5 MiB, parameters 10 MiB, gradients 9 MiB, plan 2 MiB. Release tensors, work in smaller pieces, or raise "
            "memory_limit.");
}

TEST(BlockPoolLimits, SaysWhatIsCachedWhenItCouldNotHelp) {
  WatchedPool host({.memory = 4 * MiB});
  const Storage one_of_a_slab = host.take(KiB);  // its slab cannot be given back
  const std::string message = out_of_memory_message(host, 4 * MiB, "zeros");
  EXPECT_HAS(message, "zeros: asked 4 MiB");
  EXPECT_HAS(message, "live 1 KiB, cached 3 KiB, largest free 1 KiB");
}

TEST(BlockPoolLimits, SaysWhenItIsTheDeviceThatHasNoMore) {
  WatchedPool host({}, {.memory = 4 * MiB});
  const std::string message = out_of_memory_message(host, 5 * MiB);
  EXPECT_HAS(message, "limit none (the device has no more)");
  EXPECT_HAS(message, "held by nothing. Release tensors or work in smaller pieces.");
}

TEST(BlockPoolLimits, IsAsBeforeAfterItGaveUp) {
  WatchedPool host({.memory = 4 * MiB});
  const Storage live = host.take(MiB);
  const PoolStats before = host.pool.stats();
  for (const std::size_t bytes : {4 * MiB, 5 * MiB, 500 * MiB, std::size_t{1} << 50}) out_of_memory_message(host, bytes);
  const PoolStats after = host.pool.stats();
  EXPECT_EQ(after.live, before.live);
  EXPECT_EQ(after.asked, before.asked);
  EXPECT_EQ(after.reserved, before.reserved);
  EXPECT_EQ(PoolCheck::of(host.pool), "");
  EXPECT_TRUE(host.take(3 * MiB));
}

// The naive model: what is lent, and nothing else.
TEST(BlockPoolLimits, HoldsAgainstANaiveModelThroughAHundredThousandOperations) {
  std::mt19937 random(20261116);
  const auto up_to = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const auto any_size = [&] { return up_to(100) == 0 ? 130 * MiB + up_to(70 * MiB) : 1 + up_to(std::size_t{1} << (1 + up_to(23))); };
  PoolLimits limits{.memory = 256 * MiB, .cache = 32 * MiB, .cached_per_class = 20};
  WatchedPool host(limits, {.latency = 3});
  struct Lent {
    Storage storage;
    std::size_t asked;
  };
  std::vector<Lent> lent;
  std::map<std::pair<Memory*, std::size_t>, std::size_t> places;  // where each lent block lies, and its end
  std::size_t live = 0, asked = 0, refused = 0;
  const auto give_back = [&](std::size_t i) {
    live -= lent[i].storage->bytes;
    asked -= lent[i].asked;
    places.erase({lent[i].storage->memory, lent[i].storage->offset});
    std::swap(lent[i], lent.back());
    lent.pop_back();
  };
  const auto take = [&](std::size_t bytes) {
    try {
      Storage storage = host.take(bytes, static_cast<MemoryTag>(up_to(memory_tags)));
      ASSERT_EQ(storage->bytes, size_class(bytes, 256).bytes);
      ASSERT_EQ(storage->handles, 1U);
      const auto [place, fresh] = places.emplace(std::pair(storage->memory, storage->offset), storage->offset + storage->bytes);
      ASSERT_TRUE(fresh) << "lent twice";
      const auto next = std::next(place), before = place == places.begin() ? places.end() : std::prev(place);
      if (next != places.end() && next->first.first == storage->memory) {
        ASSERT_LE(place->second, next->first.second) << "overlaps the next";
      }
      if (before != places.end() && before->first.first == storage->memory) {
        ASSERT_LE(before->second, storage->offset) << "overlaps the one before";
      }
      if (up_to(3)) host.use(storage);
      live += storage->bytes;
      asked += bytes;
      lent.push_back({std::move(storage), bytes});
    } catch (const OutOfMemory&) {
      ++refused;
      const PoolStats stats = host.pool.stats();
      ASSERT_GT(stats.reserved + size_class(bytes, 256).bytes, limits.memory) << "it gave up with room left";
      ASSERT_LE(stats.cached(), limits.cache / 4) << "it gave up with idle blocks that could have gone back";
    }
  };
  for (int i = 0; i < 100'000; ++i) {
    const std::size_t what = up_to(100);
    if (what < 48) {
      take(any_size());
    } else if (what < 94) {
      if (!lent.empty()) give_back(up_to(lent.size()));
    } else if (what < 97) {
      host.submit();
    } else if (what < 98) {
      host.pool.step_done();
    } else if (what < 99) {
      host.pool.trim();
    } else if (up_to(10) == 0) {
      while (!lent.empty()) give_back(lent.size() - 1);
    }
    ASSERT_FALSE(HasFailure()) << "at operation " << i;
    const PoolStats stats = host.pool.stats();
    ASSERT_EQ(stats.live, live);
    ASSERT_EQ(stats.asked, asked);
    ASSERT_EQ(stats.reserved, host.backend.counts.bytes);
    ASSERT_LE(stats.reserved, limits.memory);
    ASSERT_LE(stats.reserved, limits.cache + stats.live);
    ASSERT_GE(stats.peak, stats.reserved);
    if (i % 10 == 0) {
      ASSERT_EQ(PoolCheck::of(host.pool), "") << "at operation " << i;
    }
  }
  EXPECT_GT(refused, 10U) << "the limit was hardly met; the test is too easy";
  EXPECT_GT(host.pool.stats().reuses, 1000U);
  lent.clear();
  host.finish_all();
  host.pool.evict_all();
  EXPECT_EQ(host.backend.counts.bytes, 0U);
  EXPECT_EQ(host.backend.counts.allocations, host.backend.counts.frees);
}

TEST(BlockPoolLimits, WhatComesBackWhileWorkFinishesIsTakenAtOnce) {
  WatchedPool host({.memory = MiB});
  Storage held = host.take(600 * KiB);
  Block* const block = held.block();
  host.on_finish = [&] { held = {}; };  // another thread is done with it
  const Storage again = host.take(600 * KiB);
  EXPECT_EQ(again.block(), block);
  EXPECT_EQ(host.log, (std::vector<std::string>{"allocate", "finish"})) << "nothing was freed for it";
}

// Whoever watches looks when work is submitted, and by that takes in what came back and keeps the limits too.
TEST(BlockPoolLimits, MayBeLookedAtWhileWorkFinishesForThem) {
  WatchedPool host({.cache = MiB}, {.latency = 1'000'000});
  int looks = 0;
  std::vector<std::size_t> seen;
  const auto look = [&] {
    ++looks;
    seen.clear();
    host.pool.for_each_memory([&](const Memory& memory, std::span<const Block>) { seen.push_back(memory.bytes); });
  };
  {
    const Storage small = host.take(64), large = host.take(MiB);
    look();
    EXPECT_EQ(seen.size(), 2U) << "a block by itself and a slab";
    EXPECT_EQ(std::ranges::count(seen, MiB), 1);
  }
  host.pool.evict_all();
  const std::size_t before = host.pool.stats().evictions;
  host.freed.clear();
  looks = 0;
  host.on_finish = look;
  {
    const Storage a = host.take(2 * MiB), b = host.take(3 * MiB);
    host.use(a);
    host.use(b);
  }
  EXPECT_EQ(host.pool.stats().reserved, 0U);
  EXPECT_EQ(looks, 1);
  EXPECT_EQ(host.pool.stats().evictions - before, 2U) << "each of them once";
  EXPECT_EQ(host.freed.size(), 2U);
}

TEST(BlockPoolLimits, ABlockThatALossKeepsFromItsTakerIsNotMissed) {
  WatchedPool host({.cache = MiB});
  {
    const Storage idle = host.take(MiB);
    host.use(idle);
  }
  host.on_finish = [&] {
    host.abandon();
    throw DeviceLost("test", "lost while the pool makes room");
  };
  EXPECT_THROW(host.take(64), DeviceLost) << "the rest of its slab is too much";
  EXPECT_TRUE(host.pool.all_returned());
}

TEST(BlockPoolLimits, WhatIsTakenForGoodCountsAndIsMadeRoomFor) {
  WatchedPool host({.memory = 4 * MiB});
  {
    const Storage a = host.take(MiB), b = host.take(MiB), c = host.take(MiB), d = host.take(MiB);
    host.use(a);
  }
  host.log.clear();
  Memory* const lasting = host.pool.take_lasting(2 * MiB, "test");
  EXPECT_EQ(host.log, (std::vector<std::string>{"finish", "free", "free", "allocate"}));
  EXPECT_EQ(host.pool.stats().reserved, 2 * MiB) << "it is no block";
  {
    const Storage rest = host.take(2 * MiB);
    out_of_memory_message(host, 64 * KiB);
    EXPECT_HAS(message_of<OutOfMemory>([&] { host.pool.take_lasting(16, "test"); }), "test: asked 16 B of null: limit 4 MiB");
  }
  host.set_limits({.memory = 3 * MiB});
  EXPECT_EQ(host.backend.counts.bytes, 2 * MiB) << "a lower limit counts it too";
  host.pool.give_up_lasting(lasting, 2 * MiB);
  EXPECT_TRUE(host.take(3 * MiB));
}

TEST(BlockPoolLimits, IdleBlocksMakeRoomForWhatIsTakenForGood) {
  WatchedPool host({}, {.memory = MiB});
  { const Storage idle = host.take(MiB); }
  Memory* const lasting = host.pool.take_lasting(16, "test");
  EXPECT_EQ(host.log, (std::vector<std::string>{"allocate", "refused", "finish", "free", "allocate"}));
  host.pool.give_up_lasting(lasting, 16);
}

}  // namespace
}  // namespace tidepool::inline v0
