#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/elementwise/elementwise.glsl"

#define UNARY(name, f, df)                             \
  float f_##name(float x) { return f; }                \
  float df_##name(float x, float y, float d) { return df; }
#include "ops/elementwise/unary.def"

#ifdef GRAD
// Of d, x and y those that the expression does not read may be bound to anything.
layout(binding = 0) readonly buffer D { float d[]; };
layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) readonly buffer Y { float y[]; };
layout(binding = 3) writeonly buffer Out { float dx[]; };
#else
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Out { float y[]; };
#endif

void main() {
  const uint i = item();
  if (i >= p.count) return;
#ifdef GRAD
  dx[i + SHIFT(3)] = PASTE(df_, OP)(x[i + SHIFT(1)], y[i + SHIFT(2)], d[i + SHIFT(0)]);
#else
  y[i + SHIFT(1)] = PASTE(f_, OP)(x[i + SHIFT(0)]);
#endif
}
