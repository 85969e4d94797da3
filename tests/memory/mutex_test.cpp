#include <gtest/gtest.h>

#include "platform/mutex.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tidepool::inline v0 {
namespace {

// Something that two threads must not do at once: if they do, increments are lost, or one sees the other inside.
struct Guarded {
  Mutex mutex;
  std::int64_t count = 0;  // plain, on purpose
  std::atomic<int> inside{0};

  void work() {
    EXPECT_EQ(inside.fetch_add(1, std::memory_order_relaxed), 0);
    count = count + 1;
    inside.fetch_sub(1, std::memory_order_relaxed);
  }
  void locked_work() {
    const std::scoped_lock lock(mutex);
    work();
  }
};

// The right of the first thread is taken away at some moment of its going in and out, over and over.
TEST(MutexThreads, AnotherThreadTakesTheRightAwayAtAnyMoment) {
  constexpr int rounds = 2000, times = 300;
  for (int round = 0; round < rounds; ++round) {
    Guarded guarded;
    std::atomic<int> done{0};
    std::thread first([&] {
      for (int i = 0; i < times; ++i) {
        guarded.locked_work();
        done.store(i, std::memory_order_relaxed);
      }
    });
    while (done.load(std::memory_order_relaxed) < round % times / 2) std::this_thread::yield();
    for (int i = 0; i < 20; ++i) guarded.locked_work();
    first.join();
    ASSERT_EQ(guarded.count, times + 20) << "round " << round;
  }
}

TEST(MutexThreads, ManyThreadsGoInOneAtATime) {
  constexpr int threads = 8, times = 20000;
  Guarded guarded;
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&] {
      for (int k = 0; k < times; ++k) guarded.locked_work();
    });
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(guarded.count, std::int64_t{threads} * times);
}

TEST(MutexThreads, TryingFailsWhileAnotherIsInsideAndWorksAfterwards) {
  Guarded guarded;
  guarded.locked_work();  // this thread is the first now
  guarded.mutex.lock();
  std::thread([&] { EXPECT_FALSE(guarded.mutex.try_lock()) << "the first thread is inside"; }).join();
  std::atomic<bool> got{false};
  std::thread waiting([&] {
    guarded.locked_work();
    got = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(got) << "the first thread is still inside, although its right is gone";
  guarded.mutex.unlock();
  waiting.join();
  EXPECT_TRUE(guarded.mutex.try_lock());
  guarded.work();
  guarded.mutex.unlock();
  EXPECT_EQ(guarded.count, 3);
}

TEST(MutexThreads, TheFirstThreadEntersForNothingUntilAnotherComes) {
  if (!has_process_barrier()) GTEST_SKIP() << "no thread is first: the kernel has no barrier for all threads, or this is ThreadSanitizer";
  Guarded guarded;
  EXPECT_FALSE(guarded.mutex.enter_as_first()) << "nobody is first yet";
  guarded.mutex.lock();
  EXPECT_FALSE(guarded.mutex.enter_as_first()) << "it is inside already";
  guarded.mutex.unlock();
  ASSERT_TRUE(guarded.mutex.enter_as_first());
  guarded.mutex.unlock();
  std::thread([&] { guarded.locked_work(); }).join();
  EXPECT_FALSE(guarded.mutex.enter_as_first()) << "the right is gone for good";
  guarded.locked_work();
  EXPECT_EQ(guarded.count, 2);
}

// A thread that ends leaves its right to nobody, or to one that takes its place.
TEST(MutexThreads, TheFirstThreadMayEnd) {
  Guarded guarded;
  for (int i = 0; i < 50; ++i) std::thread([&] { guarded.locked_work(); }).join();
  guarded.locked_work();
  EXPECT_EQ(guarded.count, 51);
}

}  // namespace
}  // namespace tidepool::inline v0
