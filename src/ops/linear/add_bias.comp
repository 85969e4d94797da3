#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

// ColumnParams in linear.h.
layout(push_constant) uniform P { uint shifts[2]; uint rows, columns; } p;
layout(binding = 0) readonly buffer X { float xs[]; };
layout(binding = 1) readonly buffer B { float bias[]; };
layout(binding = 2) writeonly buffer Y { float ys[]; };

void main() {
  const uint i = item();
  if (i >= p.rows * p.columns) return;
  ys[i + SHIFT(2)] = xs[i + SHIFT(0)] + bias[i % p.columns + SHIFT(1)];
}
