#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/pool/largest.glsl"

layout(binding = 1) readonly buffer Dy { float dy[]; };
layout(binding = 2) writeonly buffer Out { float dx[]; };

// Each element of dx gathers from the windows in which it is the largest.
void main() {
  const uint i = item();
  if (i >= p.planes * p.h * p.w) return;
  const uint plane = i / (p.h * p.w), place = i % (p.h * p.w);
  const uvec2 rows = rows_seeing(place / p.w), columns = columns_seeing(place % p.w);
  float sum = 0.0;
  for (uint oy = rows.x; oy < rows.y; ++oy)
    for (uint ox = columns.x; ox < columns.y; ++ox)
      if (largest_at(plane, oy, ox) == place) sum += dy[(plane * p.oh + oy) * p.ow + ox + SHIFT(1)];
  dx[i + SHIFT(2)] = p.relu == 1 && x[i + SHIFT(0)] <= 0.0 ? 0.0 : sum;
}
