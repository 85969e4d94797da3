#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/layout/strided.glsl"

layout(binding = 0) readonly buffer In { uint x[]; };
layout(binding = 1) writeonly buffer Out { uint y[]; };

void main() {
  const uint i = item();
  if (i >= p.count) return;
  const uvec2 ends = ends_of(i, p.rank);
  y[ends.y] = x[ends.x];
}
