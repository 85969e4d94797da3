// An allocator for small objects that come and go: each thread keeps the last few of a type instead of going to the heap.
// Under a sanitizer it is the heap, so that use after free shows.
#pragma once

#include "platform/sanitizers.h"

#include <cstddef>
#include <memory>
#include <new>

namespace tidepool::inline v0 {

#if defined(TIDEPOOL_ADDRESS_SANITIZER) || defined(TIDEPOOL_THREAD_SANITIZER)
template <class T>
using Recycling = std::allocator<T>;
#else

template <class T>
class Recycling {
 public:
  using value_type = T;
  Recycling() = default;
  template <class U>
  Recycling(const Recycling<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert
  friend bool operator==(const Recycling&, const Recycling&) { return true; }

  T* allocate(std::size_t) {
    Kept& kept = kept_;
    if (Free* first = kept.first) [[likely]] {
      kept.first = first->next;
      ++kept.room;
      return reinterpret_cast<T*>(first);
    }
    return from_heap();
  }
  void deallocate(T* object, std::size_t) {
    Kept& kept = kept_;
    if (kept.room == 0) [[unlikely]]
      return ::operator delete(object);
    auto* free = ::new (static_cast<void*>(object)) Free{kept.first};
    kept.first = free;
    --kept.room;
  }

 private:
  static constexpr std::size_t most = 256;
  struct Free {
    Free* next;
  };
  struct Kept {
    Free* first = nullptr;
    std::size_t room = 0;  // none before this thread's first allocation, and after its end
    bool started = false;
  };
  struct AtEnd {  // of the thread: what is kept goes back to the heap
    ~AtEnd() {
      kept_.room = 0;
      while (Free* first = kept_.first) {
        kept_.first = first->next;
        ::operator delete(first);
      }
    }
  };
  [[gnu::noinline]] static T* from_heap() {
    if (!kept_.started) {
      static thread_local AtEnd at_end;
      kept_.started = true;
      kept_.room = most;
    }
    return static_cast<T*>(::operator new(sizeof(T)));
  }
  static inline constinit thread_local Kept kept_{};
};

#endif

}  // namespace tidepool::inline v0
