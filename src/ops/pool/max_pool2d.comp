#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/pool/largest.glsl"

layout(binding = 1) writeonly buffer Out { float y[]; };

void main() {
  const uint i = item();
  if (i >= p.planes * p.oh * p.ow) return;
  const uint plane = i / (p.oh * p.ow);
  const float value = x[plane * p.h * p.w + largest_at(plane, i / p.ow % p.oh, i % p.ow) + SHIFT(0)];
  y[i + SHIFT(1)] = p.relu == 1 && value <= 0.0 ? 0.0 : value;
}
