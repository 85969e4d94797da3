#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

// ActivationParams in linear.h. Each gradient follows from the activation's result.
layout(push_constant) uniform P { uint shifts[2]; uint count, activation; } p;
layout(binding = 0) readonly buffer Y { float ys[]; };
layout(binding = 1) readonly buffer Dy { float dys[]; };
layout(binding = 2) writeonly buffer Dx { float dxs[]; };

float gradient(float y, float dy) {
  switch (p.activation) {
    case 1: return y > 0.0 ? dy : 0.0;
    case 2: return dy * y * (1.0 - y);
    case 3: return dy * (1.0 - y * y);
    default: return dy;
  }
}

void main() {
  const uint i = item();
  if (i >= p.count) return;
  dxs[i + SHIFT(2)] = gradient(ys[i + SHIFT(0)], dys[i + SHIFT(1)]);
}
