#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/elementwise/elementwise.glsl"

#define UNARY(name, f, df)           \
  float f_##name(float x) MADE_BY(f) \
  float df_##name(float x, float y, float d) MADE_BY(df)
#include "ops/elementwise/unary.def"

#ifdef GRAD
// Of d, x and y those that the expression does not read may be bound to anything.
layout(binding = 0) readonly buffer D { float d[]; };
layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) readonly buffer Y { float y[]; };
layout(binding = 3) writeonly buffer Out { float dx[]; };
layout(binding = 0) readonly buffer Ds { vec4 ds[]; };
layout(binding = 1) readonly buffer Xs { vec4 xs[]; };
layout(binding = 2) readonly buffer Ys { vec4 ys[]; };
layout(binding = 3) writeonly buffer Outs { vec4 dxs[]; };
#define DF PASTE(df_, OP)
void one(uint i) { dx[i + SHIFT(3)] = DF(x[i + SHIFT(1)], y[i + SHIFT(2)], d[i + SHIFT(0)]); }
void four(uint i) {
  const vec4 vd = ds[(i + SHIFT(0)) / 4], vx = xs[(i + SHIFT(1)) / 4], vy = ys[(i + SHIFT(2)) / 4];
  dxs[(i + SHIFT(3)) / 4] = vec4(DF(vx.x, vy.x, vd.x), DF(vx.y, vy.y, vd.y), DF(vx.z, vy.z, vd.z), DF(vx.w, vy.w, vd.w));
}
#else
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Out { float y[]; };
layout(binding = 0) readonly buffer Xs { vec4 xs[]; };
layout(binding = 1) writeonly buffer Outs { vec4 ys[]; };
#define F PASTE(f_, OP)
void one(uint i) { y[i + SHIFT(1)] = F(x[i + SHIFT(0)]); }
void four(uint i) {
  const vec4 v = xs[(i + SHIFT(0)) / 4];
  ys[(i + SHIFT(1)) / 4] = vec4(F(v.x), F(v.y), F(v.z), F(v.w));
}
#endif

void main() {
  const uint i = first_element();
  if (as_vector(i))
    four(i);
  else
    for (uint at = i; at < min(i + 4, p.count); ++at) one(at);
}
