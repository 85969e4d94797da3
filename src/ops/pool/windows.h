// Which elements a window sees.
#pragma once

#include "ops/pool/pool.h"

#include <algorithm>
#include <cstddef>

namespace tidepool::inline v0 {

struct Stretch {
  std::size_t begin, end;
};
// The elements of an axis that window `i` sees.
inline Stretch seen(std::size_t i, std::size_t size, const PoolParams& p) {
  const std::size_t begin = i * p.stride, end = begin + p.kernel;  // both with the padding before
  return {begin > p.padding ? begin - p.padding : 0, std::min<std::size_t>(end - std::min<std::size_t>(end, p.padding), size)};
}
// Whether every element belongs to one window.
inline bool each_in_one(const PoolParams& p) {
  return p.stride == p.kernel && p.padding == 0 && p.h == p.oh * p.kernel && p.w == p.ow * p.kernel;
}

}  // namespace tidepool::inline v0
