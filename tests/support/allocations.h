// Counts what the program takes from the heap. One source of a program may include this: it replaces operator new.
//
//     const Allocations before;
//     load();
//     EXPECT_LT(before.most_since(), 2 * file_size);
//
//     HeapCount::fails_in = 3;       // the third from now on throws std::bad_alloc
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace tidepool::inline v0 {

struct HeapCount {
  static inline std::atomic<std::size_t> now{0}, most{0}, count{0};
  static inline thread_local int fails_in = 0;  // 1: the next is refused
  static void* take(void* memory) {
    if (!memory) throw std::bad_alloc();
    if (fails_in > 0 && --fails_in == 0) {
      std::free(memory);
      throw std::bad_alloc();
    }
    ++count;
    const std::size_t total = now += malloc_usable_size(memory);
    for (std::size_t seen = most; total > seen && !most.compare_exchange_weak(seen, total);) {
    }
    return memory;
  }
  static void give(void* memory) {
    if (memory) now -= malloc_usable_size(memory);
    std::free(memory);
  }
};

class Allocations {
 public:
  Allocations() : start_(HeapCount::now) { HeapCount::most = start_; }
  std::size_t most_since() const { return HeapCount::most - start_; }  // bytes, all at once

 private:
  std::size_t start_;
};

}  // namespace tidepool::inline v0

void* operator new(std::size_t bytes) { return tidepool::HeapCount::take(std::malloc(bytes ? bytes : 1)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return tidepool::HeapCount::take(std::aligned_alloc(to, (bytes + to) / to * to));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  void* const memory = std::malloc(bytes ? bytes : 1);
  return memory ? tidepool::HeapCount::take(memory) : nullptr;
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { tidepool::HeapCount::give(memory); }
void operator delete(void* memory) noexcept { tidepool::HeapCount::give(memory); }
void operator delete(void* memory, std::size_t) noexcept { tidepool::HeapCount::give(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { tidepool::HeapCount::give(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { tidepool::HeapCount::give(memory); }
