#include "device/hazards.h"

namespace tidepool::inline v0 {

bool Hazards::before(const Launch& launch) {
  bool conflict = touched_.size() + launch.binding_count > most;
  for (const Binding& binding : launch.bound()) {
    if (conflict) break;
    const std::size_t begin = binding.offset, end = binding.offset + binding.bytes;
    for (const Touched& t : touched_)
      if (t.memory == binding.memory && t.begin < end && begin < t.end && (t.written || writes(binding.access))) {
        conflict = true;
        break;
      }
  }
  if (conflict) touched_.clear();
  for (const Binding& binding : launch.bound())
    if (binding.bytes) touched_.push_back({binding.memory, binding.offset, binding.offset + binding.bytes, writes(binding.access)});
  return conflict;
}

}  // namespace tidepool::inline v0
