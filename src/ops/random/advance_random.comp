#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint count, kind, threshold; float scale; } p;
layout(binding = 0) buffer State { uint seed[2]; uint call[2]; float normal_table[1024]; };

void main() {
  if (item() != 0) return;
  call[0] += 1;
  if (call[0] == 0) call[1] += 1;
}
