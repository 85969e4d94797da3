#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/pool/pool.glsl"

layout(binding = 0) readonly buffer Dy { float dy[]; };
layout(binding = 1) writeonly buffer Out { float dx[]; };

void main() {
  const uint i = item();
  if (i >= p.planes * p.h * p.w) return;
  const uint plane = i / (p.h * p.w), place = i % (p.h * p.w);
  const uvec2 rows = rows_seeing(place / p.w), columns = columns_seeing(place % p.w);
  float sum = 0.0;
  for (uint oy = rows.x; oy < rows.y; ++oy)
    for (uint ox = columns.x; ox < columns.y; ++ox) sum += dy[(plane * p.oh + oy) * p.ow + ox + SHIFT(0)] / elements_of_window();
  dx[i + SHIFT(1)] = sum;
}
