#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint count; float scale; } p;
layout(binding = 0) readonly buffer Prediction { float predictions[]; };
layout(binding = 1) readonly buffer Target { float targets[]; };
layout(binding = 2) writeonly buffer Out { float y[]; };

void main() {
  const uint i = item();
  if (i < p.count) y[i + SHIFT(2)] = p.scale * (predictions[i + SHIFT(0)] - targets[i + SHIFT(1)]);
}
