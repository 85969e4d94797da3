#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint place; float weight; } p;
layout(binding = 0) buffer Sums { float sums[]; };
layout(binding = 1) readonly buffer Value { float value[]; };

void main() {
  if (item() == 0) sums[p.place + SHIFT(0)] += p.weight * value[SHIFT(1)];
}
