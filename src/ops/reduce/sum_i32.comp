#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint outer, middle, inner, parts, per_part; } p;
layout(binding = 0) readonly buffer In { int x[]; };
layout(binding = 1) writeonly buffer Out { int y[]; };

void main() {
  const uint i = item();
  if (i >= p.outer * p.parts * p.inner) return;
  const uint inner = i % p.inner, part = i / p.inner % p.parts, outer = i / p.inner / p.parts;
  const uint begin = part * p.per_part, end = min(begin + p.per_part, p.middle);
  int sum = 0;
  for (uint m = begin; m < end; ++m) sum += x[(outer * p.middle + m) * p.inner + inner + SHIFT(0)];
  y[i + SHIFT(1)] = sum;
}
