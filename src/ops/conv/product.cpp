#include "ops/conv/product.h"

#include "backend/cpu/team.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {
std::size_t packed_bytes(std::size_t groups, std::size_t rows, std::size_t depth) {
  return groups * ((rows + weight_rows - 1) / weight_rows) * weight_rows * depth * sizeof(float);
}
}  // namespace

std::size_t conv2d_scratch(const ConvParams& p) {
  return packed_bytes(p.groups, p.o / p.groups, std::size_t{p.kh} * p.kw * (p.c / p.groups));
}
std::size_t conv2d_input_scratch(const ConvParams& p) {
  return packed_bytes(p.groups, p.c / p.groups, std::size_t{p.kh} * p.kw * (p.o / p.groups));
}

void pack_weights(const CpuCall& call, const ConvProduct& c) {
  const std::size_t taps = c.taps(), of_group = c.rows * c.depth();
  const std::size_t row_step = c.forward ? c.depth() : taps, channel_step = c.forward ? taps : c.rows * taps;
  call.team->run(c.groups * c.blocks(), 16384 / (c.depth() * weight_rows + 1) + 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t group = i / c.blocks(), block = i % c.blocks(), first = c.first_row(block);
      const float* from = c.weights + group * of_group + first * row_step;
      const std::size_t rows = c.first_row(block + 1) - first;
      float* to = c.packed_block(group, block);
      for (std::size_t tap = 0; tap < taps; ++tap)
        for (std::size_t channel = 0; channel < c.channels; ++channel, to += weight_rows)
          for (std::size_t row = 0; row < weight_rows; ++row)
            to[row] = row < rows ? from[row * row_step + channel * channel_step + tap] : 0.0F;
    }
  });
}

}  // namespace tidepool::inline v0
