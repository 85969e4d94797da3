#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/norm/rows.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Dy { float dy[]; };
layout(binding = 2) readonly buffer Gamma { float gamma[]; };
layout(binding = 3) readonly buffer Statistics { float statistics[]; };
layout(binding = 4) writeonly buffer Out { float dx[]; };

void main() {
  const uint row = workgroup();
  if (row >= p.rows) return;
  const uint at = row * p.size;
  const float mean = statistics[row + SHIFT(3)], scale = statistics[row + p.rows + SHIFT(3)];
  float sum = 0.0, product = 0.0;
  for (uint i = LANE; i < p.size; i += lane_count) {
    const float d = dy[at + i + SHIFT(1)] * gamma[i + SHIFT(2)];
    sum += d;
    product += d * ((x[at + i + SHIFT(0)] - mean) * scale);
  }
  const float mean_d = over_lanes(sum) / float(p.size), mean_product = over_lanes(product) / float(p.size);
  for (uint i = LANE; i < p.size; i += lane_count) {
    const float d = dy[at + i + SHIFT(1)] * gamma[i + SHIFT(2)], normal = (x[at + i + SHIFT(0)] - mean) * scale;
    dx[at + i + SHIFT(4)] = scale * (d - mean_d - normal * mean_product);
  }
}
