#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/pool/largest.glsl"

// The second pass: x has the largest along the rows, and this says where they stood.
layout(binding = 1) readonly buffer Places { int places[]; };
layout(binding = 2) writeonly buffer Out { float y[]; };
layout(binding = 3) writeonly buffer Indices { int indices[]; };

void main() {
  const uint i = item();
  if (i >= p.planes * p.oh * p.ow) return;
  const uint plane = i / (p.oh * p.ow), at = plane * p.h * p.w + largest_at(plane, i / p.ow % p.oh, i % p.ow);
  y[i + SHIFT(2)] = x[at + SHIFT(0)];
  indices[i + SHIFT(3)] = places[at + SHIFT(1)];
}
