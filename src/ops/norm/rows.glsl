// Rows of [rows, size], of which each is one workgroup's. LayerNormParams in norm.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint rows, size, parts, per_part;
  float eps;
} p;

#include "ops/over_lanes.glsl"
