#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/index/rows.glsl"

layout(binding = 0) readonly buffer Index { int index[]; };
layout(binding = 1) writeonly buffer Out { float y[]; };
COMPLAINTS(2);

void main() {
  const uint i = item();
  if (i >= p.count * p.width) return;
  const int number = index[i / p.width + SHIFT(0)];
  if (!in_range(number)) COMPLAIN(p.code, number, int(p.limit))
  y[i + SHIFT(1)] = number == int(i % p.width) ? 1.0 : 0.0;
}
