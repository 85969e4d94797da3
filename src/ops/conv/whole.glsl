// Products of each group that are never cut into parts.
uint matrices() { return p.groups; }
uint parts() { return 1; }
uint per_part() { return depth(); }
#include "ops/matmul/block.glsl"
#include "ops/conv/window.glsl"

layout(binding = 0) readonly buffer W { float a[]; };
layout(binding = 3) readonly buffer Bias { float bias[]; };

float with_bias(float sum, Block block, uint row) { return p.with_bias != 0 ? sum + bias[block.matrix * rows() + row + SHIFT(3)] : sum; }
