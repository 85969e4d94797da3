#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/norm/row_moments.glsl"

layout(binding = 1) readonly buffer Gamma { float gamma[]; };
layout(binding = 2) readonly buffer Beta { float beta[]; };
layout(binding = 3) writeonly buffer Out { float y[]; };

void main() {
  const uint row = workgroup();
  if (row >= p.rows) return;
  const uint at = row * p.size + SHIFT(0), to = row * p.size + SHIFT(3);
  const vec2 moments = moments_of_row(at);
  for (uint i = LANE; i < p.size; i += lane_count)
    y[to + i] = (x[at + i] - moments.x) * moments.y * gamma[i + SHIFT(1)] + beta[i + SHIFT(2)];
}
