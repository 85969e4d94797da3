// A number that all threads raise and lower all the time and that is asked for now and then. Each thread has a part of its own: two
// exchanges for every small tensor were a sixth of its time.
//
//   static ThreadCount tensors;    // lives as long as the process
//   tensors.add(1);                // from any thread, and -1 from another; also after main
//   tensors.sum();
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tidepool::inline v0 {

class ThreadCount {
 public:
  ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

  void add(std::int64_t difference) {
    if (!mine_.known || place_ >= most) [[unlikely]]
      return add_slowly(difference);
    std::atomic<std::int64_t>& part = mine_.of[place_];
    part.store(part.load(std::memory_order_relaxed) + difference, std::memory_order_relaxed);  // nobody else writes it
  }
  std::int64_t sum() const;

 private:
  static constexpr std::size_t most = 16;  // counts with parts; those made later have only what is shared
  struct Parts {
    bool known = false;  // to the others; not before this thread's first use, nor after its end
    bool ended = false;
    std::array<std::atomic<std::int64_t>, most> of{};
  };
  struct Everyone;
  struct AtEnd {
    ~AtEnd();
  };
  static Everyone& everyone();
  void add_slowly(std::int64_t difference);

  std::size_t place_;
  std::atomic<std::int64_t> shared_{0};  // parts of threads that ended, and of those that have none
  static constinit thread_local Parts mine_;
};

}  // namespace tidepool::inline v0
