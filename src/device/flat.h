// Flat launches (FlatKernel in backend/traits.h) that follow each other can be done as one, if no element of one needs anything of another
// but the same element.
#pragma once

#include "device/capture.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace tidepool::inline v0 {

inline std::uint32_t elements_of(const CapturedLaunch& launch) {  // 0: it is not flat
  if (!is_flat(launch)) return 0;
  std::uint32_t count = 0;
  std::memcpy(&count, launch.params.data() + launch.kernel->flat->count_at, sizeof count);
  return count;
}

inline bool same(const Operand& a, const Operand& b) {
  return a.block == b.block && a.offset == b.offset && a.bytes == b.bytes && a.element == b.element;
}
// Of two launches of a chain: whether each element of one needs nothing of the other but the same element.
inline bool go_together(const Operand& a, const Operand& b) {
  if (a.block != b.block || same(a, b) || (!writes(a.access) && !writes(b.access))) return true;
  return a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
}
inline bool goes_along(std::span<const CapturedLaunch> chain, const CapturedLaunch& next) {
  return std::ranges::all_of(next.operands, [&](const Operand& b) {
    return std::ranges::all_of(chain, [&](const CapturedLaunch& launch) {
      return std::ranges::all_of(launch.operands, [&](const Operand& a) { return go_together(a, b); });
    });
  });
}

}  // namespace tidepool::inline v0
