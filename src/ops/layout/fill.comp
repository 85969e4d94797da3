#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint count; uint bits; } p;
layout(binding = 0) writeonly buffer Out { uint y[]; };

void main() {
  const uint i = item();
  if (i < p.count) y[i + SHIFT(0)] = p.bits;
}
