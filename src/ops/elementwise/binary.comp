#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/elementwise/elementwise.glsl"

#define BINARY(name, f, dfx, dfy)                                   \
  float f_##name(float x, float y) { return f; }                    \
  float dfx_##name(float x, float y, float d) { return dfx; }       \
  float dfy_##name(float x, float y, float d) { return dfy; }
#include "ops/elementwise/binary.def"

#if defined(GRAD_X) || defined(GRAD_Y)
#define FIRST 1
layout(binding = 0) readonly buffer D { float d[]; };
layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) readonly buffer Y { float y[]; };
layout(binding = 3) writeonly buffer Out { float z[]; };
#else
#define FIRST 0
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer Out { float z[]; };
#endif

void main() {
  const uint i = item();
  if (i >= p.count) return;
  const uvec2 at = places(i);
  const float vx = x[at.x + SHIFT(FIRST)], vy = y[at.y + SHIFT(FIRST + 1)];
#if defined(GRAD_X)
  z[i + SHIFT(3)] = PASTE(dfx_, OP)(vx, vy, d[i + SHIFT(0)]);
#elif defined(GRAD_Y)
  z[i + SHIFT(3)] = PASTE(dfy_, OP)(vx, vy, d[i + SHIFT(0)]);
#else
  z[i + SHIFT(2)] = PASTE(f_, OP)(vx, vy);
#endif
}
