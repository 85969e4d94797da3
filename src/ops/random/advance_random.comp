#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint count, kind, threshold; float scale; uint first, ahead; } p;
layout(binding = 0) buffer State { uint seed[2]; uint call[2]; float normal_table[1024]; };

void main() {
  if (item() != 0) return;
  const uint before = call[0];
  call[0] += p.ahead;
  if (call[0] < before) call[1] += 1;
}
