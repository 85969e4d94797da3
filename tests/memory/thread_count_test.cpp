#include <gtest/gtest.h>

#include "platform/thread_count.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace tidepool::inline v0 {
namespace {

// Counts live as long as the process.
ThreadCount& lasting() { return *std::make_unique<ThreadCount>().release(); }

TEST(ThreadCountThreads, WhatOneThreadAddsAnotherMayTakeAway) {
  ThreadCount& count = lasting();
  count.add(5);
  std::thread([&] { count.add(-3); }).join();
  EXPECT_EQ(count.sum(), 2);
}

TEST(ThreadCountThreads, CountsWhileThreadsWorkAndAfterTheyEnded) {
  constexpr int threads = 8, rounds = 10000;
  ThreadCount& count = lasting();
  std::atomic<int> ready{0};
  std::atomic<bool> go_on{false};
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) {
        count.add(1);
        count.add(round % 2 == 0 ? -1 : 0);
      }
      ++ready;
      while (!go_on) std::this_thread::yield();
    });
  while (ready < threads) {
    EXPECT_GE(count.sum(), 0);
    EXPECT_LE(count.sum(), threads * (rounds / 2 + 1));
  }
  EXPECT_EQ(count.sum(), threads * rounds / 2) << "while they live";
  go_on = true;
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(count.sum(), threads * rounds / 2) << "after they ended";
}

// A thread's own objects may hold tensors until after its part was given up.
TEST(ThreadCountThreads, CountsInDestructorsOfThreadLocalObjectsToo) {
  static ThreadCount& count = lasting();
  struct Holder {
    ~Holder() { count.add(-1); }
  };
  std::thread([] {
    static thread_local Holder holder;  // made before the thread's part, so it ends after it
    (void)&holder;
    count.add(1);
  }).join();
  EXPECT_EQ(count.sum(), 0);
}

TEST(ThreadCountThreads, ManyCountsDoNotMix) {
  std::vector<ThreadCount*> counts;
  for (int i = 0; i < 40; ++i) counts.push_back(&lasting());  // more than have parts in each thread
  std::thread([&] {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i]->add(static_cast<std::int64_t>(i));
  }).join();
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i]->sum(), static_cast<std::int64_t>(i));
}

}  // namespace
}  // namespace tidepool::inline v0
