#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/index/gather.glsl"

layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) readonly buffer Index { int index[]; };
layout(binding = 2) writeonly buffer Out { uint y[]; };
COMPLAINTS(3);

void main() {
  const uint i = item();
  if (i >= p.count) return;
  const int number = index[i + SHIFT(1)];
  uint value = 0;
  if (in_range(number))
    value = x[place_in_x(i) + uint(number) * p.step + SHIFT(0)];
  else
    COMPLAIN(p.code, number, int(p.limit))
  y[i + SHIFT(2)] = value;
}
