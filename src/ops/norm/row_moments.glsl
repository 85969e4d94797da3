// The mean of a row of x, and 1 / sqrt(variance + eps).
#include "ops/norm/rows.glsl"

layout(binding = 0) readonly buffer X { float x[]; };

vec2 moments_of_row(uint at) {
  float sum = 0.0, squares = 0.0;
  for (uint i = LANE; i < p.size; i += lane_count) sum += x[at + i];
  const float mean = over_lanes(sum) / float(p.size);
  for (uint i = LANE; i < p.size; i += lane_count) squares += (x[at + i] - mean) * (x[at + i] - mean);
  return vec2(mean, 1.0 / sqrt(over_lanes(squares) / float(p.size) + p.eps));
}
