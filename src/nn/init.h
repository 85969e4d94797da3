// How parameters begin.
#pragma once

#include <tidepool/grad.h>
#include <tidepool/ops.h>

#include <cmath>

namespace tidepool::inline v0::nn {

void require_sizes(const char* layer, std::initializer_list<std::pair<const char*, std::int64_t>> sizes);  // each 1 or more
void require_groups(const char* layer, std::int64_t in, std::int64_t out, std::int64_t groups);            // that divide both

// Evenly from -limit to limit, where limit is 1 / sqrt(fan_in): PyTorch's default for products and convolutions.
inline Tensor uniform_init(const Shape& shape, std::int64_t fan_in) {
  const NoGrad guard;
  const float limit = 1.0F / std::sqrt(static_cast<float>(fan_in));
  return (rand(shape) * 2.0F - 1.0F) * limit;
}

}  // namespace tidepool::inline v0::nn
