#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

// ActivationParams in linear.h. Each gradient follows from the activation's result.
layout(push_constant) uniform P { uint shifts[2]; uint count, activation; } p;
layout(binding = 0) readonly buffer Y { float ys[]; };
layout(binding = 1) readonly buffer Dy { float dys[]; };
layout(binding = 2) writeonly buffer Dx { float dxs[]; };
layout(binding = 0) readonly buffer Y4 { vec4 y4s[]; };
layout(binding = 1) readonly buffer Dy4 { vec4 dy4s[]; };
layout(binding = 2) writeonly buffer Dx4 { vec4 dx4s[]; };

float gradient(float y, float dy) {
  switch (p.activation) {
    case 1: return y <= 0.0 ? 0.0 : dy;
    case 2: return dy * y * (1.0 - y);
    case 3: return dy * (1.0 - y * y);
    default: return dy;
  }
}

void main() {
  uint i = 4 * item();
  if (IN_FOURS(i)) {
    const vec4 y = y4s[(i + SHIFT(0)) / 4], dy = dy4s[(i + SHIFT(1)) / 4];
    dx4s[(i + SHIFT(2)) / 4] = vec4(gradient(y.x, dy.x), gradient(y.y, dy.y), gradient(y.z, dy.z), gradient(y.w, dy.w));
    return;
  }
  for (const uint end = min(i + 4, p.count); i < end; ++i) dxs[i + SHIFT(2)] = gradient(ys[i + SHIFT(0)], dys[i + SHIFT(1)]);
}
