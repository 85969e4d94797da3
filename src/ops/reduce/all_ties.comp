#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

// d where x is y, else 0; y and d stay along the middle. NaN is NaN here.
layout(push_constant) uniform P { uint shifts[2]; uint outer, middle, inner; float scale; } p;
layout(binding = 0) readonly buffer X { float xs[]; };
layout(binding = 1) readonly buffer Y { float ys[]; };
layout(binding = 2) readonly buffer D { float ds[]; };
layout(binding = 3) writeonly buffer Out { float dx[]; };

void main() {
  const uint i = item();
  if (i >= p.outer * p.middle * p.inner) return;
  const uint line = i / (p.middle * p.inner) * p.inner + i % p.inner;
  const float x = xs[i + SHIFT(0)], y = ys[line + SHIFT(1)];
  dx[i + SHIFT(3)] = x == y || (x != x && y != y) ? ds[line + SHIFT(2)] : 0.0;
}
