// Handles of blocks.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>

#include "support/pool_host.h"

namespace tidepool::inline v0 {
namespace {

TEST(Storage, AnEmptyHandleCanBeCopiedMovedAndAssigned) {
  const Storage empty;
  Storage copy = empty, moved = std::move(copy);
  moved = empty;
  EXPECT_FALSE(moved);
  EXPECT_EQ(moved.block(), nullptr);
}

TEST(Storage, TheBlockGoesBackWithItsLastHandle) {
  WatchedPool host;
  Storage first = host.take(1000), second = first;
  first = {};
  EXPECT_GT(host.pool.stats().live, 0U);
  second = {};
  EXPECT_EQ(host.pool.stats().live, 0U);
}

// Each of two handles may be the last, whoever lets go first.
TEST(StorageThreads, LettingGoAtTheSameMomentGivesTheBlockBackOnce) {
  WatchedPool host;
  constexpr int rounds = 20'000;
  Storage theirs;
  std::atomic<int> round{0}, done{0};
  std::thread other([&] {
    for (int i = 1; i <= rounds; ++i) {
      while (round.load(std::memory_order_acquire) != i) {
      }
      theirs = {};
      done.store(i, std::memory_order_release);
    }
  });
  for (int i = 1; i <= rounds; ++i) {
    Storage mine = host.take(1000);
    theirs = mine;
    round.store(i, std::memory_order_release);
    mine = {};
    while (done.load(std::memory_order_acquire) != i) std::this_thread::yield();
    ASSERT_EQ(host.pool.stats().live, 0U) << "round " << i;
  }
  other.join();
}

}  // namespace
}  // namespace tidepool::inline v0
