// Elements of one and two bytes share words of four, and shaders write words: a work item makes a word of the output, as
// narrow.glsl does it.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

// How many words so many elements can lie in, wherever they begin.
constexpr std::uint32_t words_of(std::uint32_t count, std::size_t element_bytes) {
  if (element_bytes == 4) return count;
  const auto in_word = static_cast<std::uint32_t>(4 / element_bytes);
  return count == 0 ? 0 : (count + in_word - 2) / in_word + 1;
}
inline Extent per_word(const Node& out) { return {words_of(to_count(out.numel), size_of(out.dtype)), 1, 1}; }

}  // namespace tidepool::inline v0
