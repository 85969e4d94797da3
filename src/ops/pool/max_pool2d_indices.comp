#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/pool/largest.glsl"

layout(binding = 1) writeonly buffer Out { float y[]; };
layout(binding = 2) writeonly buffer Indices { int indices[]; };

void main() {
  const uint i = item();
  if (i >= p.planes * p.oh * p.ow) return;
  const uint plane = i / (p.oh * p.ow), at = largest_at(plane, i / p.ow % p.oh, i % p.ow);
  y[i + SHIFT(1)] = x[plane * p.h * p.w + at + SHIFT(0)];
  indices[i + SHIFT(2)] = int(at);
}
