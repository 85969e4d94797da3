#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/elementwise/elementwise.glsl"
#include "ops/typed/integer.glsl"

layout(binding = 0) readonly buffer X { int x[]; };
layout(binding = 1) readonly buffer Y { int y[]; };
layout(binding = 2) writeonly buffer Out { uint z[]; };

void main() {
  const uint i = item();
  if (i >= p.count) return;
  const uvec2 at = places(i);
  z[i + SHIFT(2)] = bits_of(PASTE(OP, _of)(x[at.x + SHIFT(0)], y[at.y + SHIFT(1)]));
}
