// The parameters of every elementwise kernel, the same in elementwise.glsl.
#pragma once

#include "backend/launch.h"

#include <cstddef>

namespace tidepool::inline v0 {

struct ElementwiseParams {
  Shifts shifts;
  std::uint32_t count;
  std::uint32_t rank;  // 0: every input has the output's shape; then what follows a and b is not sent
  float a, b;
  std::uint32_t size[8];
  std::uint32_t stride_x[8];
  std::uint32_t stride_y[8];

  static constexpr std::size_t flat_bytes = 24;  // up to and with b
};
static_assert(Params<ElementwiseParams>);

constexpr FlatKernel flat_elementwise_kernel(bool adds) {
  return {.flat = [](const std::byte* params) { return reinterpret_cast<const ElementwiseParams*>(params)->rank == 0; },
          .count_at = offsetof(ElementwiseParams, count),
          .adds = adds};
}
inline constexpr FlatKernel flat_elementwise = flat_elementwise_kernel(false), flat_addition = flat_elementwise_kernel(true);

}  // namespace tidepool::inline v0
