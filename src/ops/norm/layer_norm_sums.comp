#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/norm/rows.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Dy { float dy[]; };
layout(binding = 2) readonly buffer Statistics { float statistics[]; };
layout(binding = 3) writeonly buffer Out { float y[]; };

// The gradients of one gamma and one beta, from a part of the rows.
void main() {
  const uint i = item();
  if (i >= p.parts * p.size) return;
  const uint part = i / p.size, column = i % p.size, end = min((part + 1) * p.per_part, p.rows);
  float d_gamma = 0.0, d_beta = 0.0;
  for (uint row = part * p.per_part; row < end; ++row) {
    const uint at = row * p.size + column;
    const float d = dy[at + SHIFT(1)];
    d_gamma += d * ((x[at + SHIFT(0)] - statistics[row + SHIFT(2)]) * statistics[row + p.rows + SHIFT(2)]);
    d_beta += d;
  }
  y[2 * part * p.size + column + SHIFT(3)] = d_gamma;
  y[(2 * part + 1) * p.size + column + SHIFT(3)] = d_beta;
}
