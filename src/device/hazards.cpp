#include "device/hazards.h"

#include <algorithm>
#include <span>

namespace tidepool::inline v0 {

namespace {
// An empty binding (what a sum over nothing reads) counts as one word: devices bind at least that.
std::size_t end_of(const Binding& binding) { return binding.offset + std::max<std::size_t>(binding.bytes, 4); }
}  // namespace

bool Hazards::conflicts(const Launch& launch) const {
  if (count_ + launch.binding_count > most) return true;
  for (const Binding& binding : launch.bound()) {
    const std::size_t begin = binding.offset, end = end_of(binding);
    const bool written = writes(binding.access);
    for (const Touched& t : std::span(touched_).first(count_))
      if (t.memory == binding.memory && t.begin < end && begin < t.end && (t.written || written)) return true;
  }
  return false;
}

bool Hazards::before(const Launch& launch) {
  const bool conflict = conflicts(launch);
  if (conflict) count_ = 0;
  Touched* next = touched_.data() + count_;
  for (const Binding& binding : launch.bound()) *next++ = {binding.memory, binding.offset, end_of(binding), writes(binding.access)};
  count_ += launch.binding_count;
  return conflict;
}

}  // namespace tidepool::inline v0
