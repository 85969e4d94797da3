#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/elementwise/elementwise.glsl"
#include "ops/typed/integer.glsl"

layout(binding = 0) readonly buffer X { int x[]; };
layout(binding = 1) writeonly buffer Out { uint y[]; };

void main() {
  const uint i = item();
  if (i < p.count) y[i + SHIFT(1)] = bits_of(PASTE(OP, _of)(x[i + SHIFT(0)]));
}
