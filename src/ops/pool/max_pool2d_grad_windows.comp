#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/pool/largest.glsl"

layout(binding = 1) readonly buffer Dy { float dy[]; };
layout(binding = 2) writeonly buffer Out { float dx[]; };

// Where each element is in one window and no more: a work item has a window, and so looks for its largest once.
void main() {
  const uint i = item();
  if (i >= p.planes * p.oh * p.ow) return;
  const uint plane = i / (p.oh * p.ow), oy = i / p.ow % p.oh, ox = i % p.ow, begin = plane * p.h * p.w;
  const uint largest = largest_at(plane, oy, ox);
  const float of_largest = p.relu == 1 && x[begin + largest + SHIFT(0)] <= 0.0 ? 0.0 : dy[i + SHIFT(1)];
  for (uint row = oy * p.kernel; row < (oy + 1) * p.kernel; ++row)
    for (uint column = ox * p.kernel; column < (ox + 1) * p.kernel; ++column) {
      const uint place = row * p.w + column;
      dx[begin + place + SHIFT(2)] = place == largest ? of_largest : 0.0;
    }
}
