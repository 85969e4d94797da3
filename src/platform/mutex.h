// A mutex whose uncontended lock and unlock are one inlined atomic instruction each. Every operation takes its device's lock,
// and std::mutex would be a tenth of a small one's time.
#pragma once

#include <atomic>
#include <cstdint>

namespace tidepool::inline v0 {

class Mutex {
 public:
  void lock() {
    std::uint32_t expected = free;
    if (!state_.compare_exchange_strong(expected, held, std::memory_order_acquire, std::memory_order_relaxed)) [[unlikely]]
      wait();
  }
  bool try_lock() {
    std::uint32_t expected = free;
    return state_.compare_exchange_strong(expected, held, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void unlock() {
    if (state_.exchange(free, std::memory_order_release) == contended) [[unlikely]]
      state_.notify_one();
  }

 private:
  enum State : std::uint32_t { free, held, contended };

  // Whoever waits marks the lock as contended, also when it gets it: others may be waiting still.
  void wait() {
    while (state_.exchange(contended, std::memory_order_acquire) != free) state_.wait(contended, std::memory_order_relaxed);
  }

  std::atomic<std::uint32_t> state_{free};
};

}  // namespace tidepool::inline v0
