#include "device/hazards.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {
// An empty binding (what a sum over nothing reads) counts as one word: devices bind at least that.
std::size_t end_of(const Binding& binding) { return binding.offset + std::max<std::size_t>(binding.bytes, 4); }
}  // namespace

bool Hazards::before(const Launch& launch) {
  bool conflict = touched_.size() + launch.binding_count > most;
  for (const Binding& binding : launch.bound()) {
    if (conflict) break;
    const std::size_t begin = binding.offset, end = end_of(binding);
    for (const Touched& t : touched_)
      if (t.memory == binding.memory && t.begin < end && begin < t.end && (t.written || writes(binding.access))) {
        conflict = true;
        break;
      }
  }
  if (conflict) touched_.clear();
  for (const Binding& binding : launch.bound())
    touched_.push_back({binding.memory, binding.offset, end_of(binding), writes(binding.access)});
  return conflict;
}

}  // namespace tidepool::inline v0
