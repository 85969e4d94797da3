#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/norm/row_moments.glsl"

layout(binding = 1) writeonly buffer Statistics { float statistics[]; };

void main() {
  const uint row = workgroup();
  if (row >= p.rows) return;
  const vec2 moments = moments_of_row(row * p.size + SHIFT(0));
  if (LANE != 0) return;
  statistics[row + SHIFT(1)] = moments.x;
  statistics[row + p.rows + SHIFT(1)] = moments.y;
}
