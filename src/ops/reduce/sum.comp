#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint outer, middle, inner, parts, per_part; } p;
layout(binding = 0) readonly buffer In { float x[]; };
layout(binding = 1) writeonly buffer Out { float y[]; };

void main() {
  const uint i = item();
  if (i >= p.outer * p.parts * p.inner) return;
  const uint inner = i % p.inner, part = i / p.inner % p.parts, outer = i / p.inner / p.parts;
  const uint begin = part * p.per_part, end = min(begin + p.per_part, p.middle);
  uint at = (outer * p.middle + begin) * p.inner + inner + SHIFT(0);
  // Four sums side by side: shorter chains of additions, and smaller errors.
  vec4 sums = vec4(0.0);
  uint m = begin;
  for (; m + 4 <= end; m += 4, at += 4 * p.inner) sums += vec4(x[at], x[at + p.inner], x[at + 2 * p.inner], x[at + 3 * p.inner]);
  float sum = (sums.x + sums.y) + (sums.z + sums.w);
  for (; m < end; ++m, at += p.inner) sum += x[at];
  y[i + SHIFT(1)] = sum;
}
