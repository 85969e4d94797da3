#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/reduce/fold.glsl"

layout(binding = 0) readonly buffer In { float x[]; };
layout(binding = 1) writeonly buffer Out { float y[]; };

float value(uint at, uint line) { return x[at + SHIFT(0)] * x[at + SHIFT(0)]; }

void main() {
  const uint i = item();
  if (has_fold(i)) y[i + SHIFT(1)] = folded(i);
}
