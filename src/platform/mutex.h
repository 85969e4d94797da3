// The lock that every operation takes: its device's. It belongs to the first thread that takes it, which goes in and out by plain reads and
// writes, until another one comes: that one takes the right away for good, with a barrier in all threads, and from then on lock and unlock
// are one atomic exchange each. Exchanges would be a third of the time of a small operation, and most programs use a device from one
// thread.
//
//   Mutex mutex;
//   const std::scoped_lock lock(mutex);
#pragma once

#include "platform/process_barrier.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace tidepool::inline v0 {

class Mutex {
 public:
  void lock() {
    if (!enter_as_first()) [[unlikely]]
      lock_as_anyone();
  }
  void unlock() {
    if (held_as_first_) [[likely]]
      inside_.store(false, std::memory_order_release);
    else
      exchange_unlock();
  }
  bool try_lock() {
    if (enter_as_first()) return true;
    std::uint32_t expected = free;
    if (!state_.compare_exchange_strong(expected, held, std::memory_order_acquire, std::memory_order_relaxed)) return false;
    if (!take_right_away()) {
      exchange_unlock();
      return false;
    }
    held_as_first_ = false;
    return true;
  }
  // Locks it if that needs no exchange: it is this thread's, and this thread is not inside.
  bool enter_as_first() {
    if (first_.load(std::memory_order_relaxed) != &self_ || inside_.load(std::memory_order_relaxed)) return false;
    inside_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // for processors, the barrier of who takes the right away
    if (first_.load(std::memory_order_relaxed) != &self_) [[unlikely]] {
      inside_.store(false, std::memory_order_release);
      return false;
    }
    held_as_first_ = true;
    return true;
  }

 private:
  enum State : std::uint32_t { free, held, contended };

  void exchange_lock() {
    std::uint32_t expected = free;
    if (state_.compare_exchange_strong(expected, held, std::memory_order_acquire, std::memory_order_relaxed)) return;
    // Whoever waits marks the lock as contended, also when it gets it: others may be waiting still.
    while (state_.exchange(contended, std::memory_order_acquire) != free) state_.wait(contended, std::memory_order_relaxed);
  }

  void exchange_unlock() {
    if (state_.exchange(free, std::memory_order_release) == contended) [[unlikely]]
      state_.notify_one();
  }
  // Called with the exchanged lock held, and under it only `first_` changes: true when the first thread is not inside and will not be.
  bool take_right_away() {
    if (const void* const first = first_.load(std::memory_order_relaxed); first != &nobody_) {
      first_.store(&nobody_, std::memory_order_relaxed);
      process_barrier();  // now the first thread sees that, or we see that it is inside
    }
    return !inside_.load(std::memory_order_acquire);
  }

  [[gnu::noinline]] void lock_as_anyone() {
    exchange_lock();
    if (!first_.load(std::memory_order_relaxed) && has_process_barrier()) {
      inside_.store(true, std::memory_order_relaxed);
      first_.store(&self_, std::memory_order_relaxed);
      held_as_first_ = true;
      exchange_unlock();
      return;
    }
    for (int round = 0; !take_right_away(); ++round)
      if (round > 100) std::this_thread::sleep_for(std::chrono::microseconds(50));
    held_as_first_ = false;
  }

  static inline constinit thread_local char self_ = 0;  // its address is this thread's name
  static inline const char nobody_ = 0;                 // the right was taken away, or there is none

  std::atomic<const void*> first_{nullptr};
  std::atomic<bool> inside_{false};  // written by the first thread only
  bool held_as_first_ = false;       // of who holds the lock
  std::atomic<std::uint32_t> state_{free};
};

}  // namespace tidepool::inline v0
