#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(constant_id = 0) const bool more = false;  // add to what is there
layout(push_constant) uniform P { uint shifts[2]; uint m, n, k, first, last; } p;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) buffer C { float c[]; };

void main() {
  const uint i = item();
  if (i >= p.m * p.n) return;
  const uint row = i / p.n * p.k + SHIFT(0), column = i % p.n + SHIFT(1);
  float sum = more ? c[i + SHIFT(2)] : 0.0;
  for (uint k = p.first; k < p.last; ++k) sum = fma(a[row + k], b[column + k * p.n], sum);
  c[i + SHIFT(2)] = sum;
}
