#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/reduce/fold.glsl"

layout(binding = 0) readonly buffer In { float x[]; };
layout(binding = 1) readonly buffer Mean { float mean[]; };
layout(binding = 2) writeonly buffer Out { float y[]; };

float value(uint at, uint line) {
  const float deviation = x[at + SHIFT(0)] - mean[line + SHIFT(1)];
  return deviation * deviation;
}

void main() {
  const uint i = item();
  if (has_fold(i)) y[i + SHIFT(2)] = folded(i);
}
