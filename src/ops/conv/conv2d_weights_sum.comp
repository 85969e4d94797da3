#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/conv/weights_params.glsl"

// The parts of the gradients become one, in their order.
layout(binding = 0) readonly buffer Parts { float sums[]; };
layout(binding = 1) writeonly buffer Dw { float dws[]; };
layout(binding = 2) writeonly buffer Db { float dbs[]; };

void main() {
  const uint i = item(), count = p.o * columns_in_all();
  if (i >= count) return;
  float sum = 0.0;
  for (uint part = 0; part < p.parts; ++part) sum += sums[part * count + i + SHIFT(0)];
  const uint row = i / columns_in_all(), column = i % columns_in_all();
  if (column == weights_of_row())
    dbs[row + SHIFT(2)] = sum;
  else
    dws[row * weights_of_row() + column + SHIFT(1)] = sum;
}
