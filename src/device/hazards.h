// Which launches must wait for earlier ones: those that read what was written, or write what was read or written, since
// the last barrier. It follows from the declared access of the bindings; nobody places a barrier by hand.
#pragma once

#include "backend/launch.h"

#include <array>
#include <cstddef>

namespace tidepool::inline v0 {

class Hazards {
 public:
  // Whether the launch needs a barrier before it; remembers what it touches.
  bool before(const Launch& launch);
  // Everything so far is ordered: a command buffer starts with a barrier.
  void clear() { count_ = 0; }

 private:
  struct Touched {
    const Memory* memory;
    std::size_t begin, end;
    bool written;
  };
  bool conflicts(const Launch& launch) const;

  // With more than this many ranges a barrier is cheaper than looking for a reason to have one.
  static constexpr std::size_t most = 256;

  std::size_t count_ = 0;
  std::array<Touched, most> touched_;  // no vector: growing is asked about at every launch otherwise
};

}  // namespace tidepool::inline v0
