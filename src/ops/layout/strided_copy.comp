#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint count; uint rank; uint size[8]; uint stride[8]; } p;
layout(binding = 0) readonly buffer In { uint x[]; };
layout(binding = 1) writeonly buffer Out { uint y[]; };

void main() {
  const uint i = item();
  if (i >= p.count) return;
  uint at = 0, rest = i;
  for (int axis = int(p.rank) - 1; axis >= 0; --axis) {
    at += rest % p.size[axis] * p.stride[axis];
    rest /= p.size[axis];
  }
  y[i + SHIFT(1)] = x[at + SHIFT(0)];
}
