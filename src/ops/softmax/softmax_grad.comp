#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/reduce/middle.glsl"

layout(binding = 0) readonly buffer Y { float y[]; };
layout(binding = 1) readonly buffer Dy { float dy[]; };
layout(binding = 2) writeonly buffer Out { float dx[]; };

void main() {
  const uint i = item();
  if (!has_line(i)) return;
  const uint at = line_begin(i);
  float sum = 0.0;
  for (uint m = 0; m < p.middle; ++m) sum += y[at + m * p.inner + SHIFT(0)] * dy[at + m * p.inner + SHIFT(1)];
  for (uint m = 0; m < p.middle; ++m) dx[at + m * p.inner + SHIFT(2)] = y[at + m * p.inner + SHIFT(0)] * (dy[at + m * p.inner + SHIFT(1)] - sum);
}
