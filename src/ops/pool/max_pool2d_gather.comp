#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/pool/pool.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Dy { float dy[]; };
layout(binding = 2) readonly buffer Places { int places[]; };
layout(binding = 3) buffer Out { float dx[]; };

// As max_pool2d_grad, where it is known which element each window names: some rows of the windows that see this one.
void main() {
  const uint i = item();
  if (i >= p.planes * p.h * p.w) return;
  const uint plane = i / (p.h * p.w), place = i % (p.h * p.w);
  const uvec2 rows = rows_seeing(place / p.w), columns = columns_seeing(place % p.w);
  float sum = p.begin == 0 ? 0.0 : dx[i + SHIFT(3)];
  for (uint oy = rows.x + p.begin; oy < min(rows.x + p.end, rows.y); ++oy)
    for (uint ox = columns.x; ox < columns.y; ++ox) {
      const uint window = (plane * p.oh + oy) * p.ow + ox;
      if (uint(places[window + SHIFT(2)]) == place) sum += dy[window + SHIFT(1)];
    }
  dx[i + SHIFT(3)] = p.relu == 1 && x[i + SHIFT(0)] <= 0.0 ? 0.0 : sum;
}
