#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/matmul/matmul_params.glsl"
#include "ops/matmul/activation.glsl"

// The parts of a product become one, in their order.
layout(binding = 0) readonly buffer Parts { float sums[]; };
layout(binding = 1) writeonly buffer C { float c[]; };
layout(binding = 2) readonly buffer Bias { float bias[]; };

void main() {
  const uint i = item(), count = p.matrices * p.m * p.n;
  if (i >= count) return;
  const uint column = i % p.n, row = i / p.n % p.m, matrix = i / p.n / p.m;
  float sum = 0.0;
  for (uint part = 0; part < p.parts; ++part) sum += sums[part * count + i + SHIFT(0)];
  if (p.bias != 0) sum += bias[(p.bias == 1 ? row : column) + SHIFT(2)];
  c[matrix * p.c_matrix + row * p.c_row + column * p.c_column + SHIFT(1)] = activated(sum, p.activation);
}
