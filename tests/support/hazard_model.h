// A second opinion on barriers, sharing nothing with the one that places them: every pair of launches is compared, byte
// range by byte range, and a pair that conflicts must have a barrier somewhere between.
#pragma once

#include "backend/launch.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

inline bool conflict(const Launch& earlier, const Launch& later) {
  for (std::size_t i = 0; i < earlier.binding_count; ++i)
    for (std::size_t j = 0; j < later.binding_count; ++j) {
      const Binding &a = earlier.bindings[i], &b = later.bindings[j];
      const bool only_reads = a.access == Access::read && b.access == Access::read;
      const bool apart = a.memory != b.memory || a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
      if (!only_reads && !apart && a.bytes > 0 && b.bytes > 0) return true;
    }
  return false;
}

// The first pair that is not kept apart, in words; nothing when all are.
inline std::optional<std::string> find_hazard(std::span<const Launch> launches) {
  for (std::size_t later = 0; later < launches.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (!conflict(launches[earlier], launches[later])) continue;
      bool kept_apart = false;
      for (std::size_t between = earlier + 1; between <= later; ++between) kept_apart = kept_apart || launches[between].barrier;
      if (!kept_apart)
        return std::string(launches[earlier].kernel->name) + " (" + std::to_string(earlier) + ") and " + launches[later].kernel->name +
               " (" + std::to_string(later) + ")";
    }
  return std::nullopt;
}

// Deletes each barrier in turn and gives the first that nobody missed, in words; nothing when all were.
inline std::optional<std::string> find_needless_barrier(std::span<const Launch> all) {
  std::vector<Launch> launches(all.begin(), all.end());
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (!launches[i].barrier) continue;
    launches[i].barrier = false;
    if (!find_hazard(launches)) return std::string("the barrier before ") + launches[i].kernel->name + " (" + std::to_string(i) + ")";
    launches[i].barrier = true;
  }
  return std::nullopt;
}

inline std::ptrdiff_t barriers(std::span<const Launch> launches) { return std::ranges::count_if(launches, &Launch::barrier); }

}  // namespace tidepool::inline v0
