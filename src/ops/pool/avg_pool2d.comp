#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/pool/pool.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Out { float y[]; };

void main() {
  const uint i = item();
  if (i >= p.planes * p.oh * p.ow) return;
  const uvec2 rows = rows_seen(i / p.ow % p.oh), columns = columns_seen(i % p.ow);
  const uint begin = i / (p.oh * p.ow) * p.h * p.w + SHIFT(0);
  float sum = 0.0;
  for (uint row = rows.x; row < rows.y; ++row)
    for (uint column = columns.x; column < columns.y; ++column) sum += x[begin + row * p.w + column];
  y[i + SHIFT(1)] = sum / elements_of_window();
}
