#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/reduce/middle.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Out { float y[]; };

void main() {
  const uint i = item();
  if (!has_line(i)) return;
  const uint at = line_begin(i);
  float largest = x[at + SHIFT(0)], sum = 0.0;
  for (uint m = 1; m < p.middle; ++m) largest = max(largest, x[at + m * p.inner + SHIFT(0)]);
  for (uint m = 0; m < p.middle; ++m) sum += exp(x[at + m * p.inner + SHIFT(0)] - largest);
  for (uint m = 0; m < p.middle; ++m) y[at + m * p.inner + SHIFT(1)] = x[at + m * p.inner + SHIFT(0)] - largest - log(sum);
}
