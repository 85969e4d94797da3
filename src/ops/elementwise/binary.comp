#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/elementwise/elementwise.glsl"

#define BINARY(name, f, dfx, dfy)                          \
  float f_##name(float x, float y) MADE_BY(f)              \
  float dfx_##name(float x, float y, float d) MADE_BY(dfx) \
  float dfy_##name(float x, float y, float d) MADE_BY(dfy)
#include "ops/elementwise/binary.def"

#if defined(GRAD_X) || defined(GRAD_Y)
#define FIRST 1
layout(binding = 0) readonly buffer D { float d[]; };
layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) readonly buffer Y { float y[]; };
layout(binding = 3) writeonly buffer Out { float z[]; };
layout(binding = 0) readonly buffer Ds { vec4 ds[]; };
layout(binding = 1) readonly buffer Xs { vec4 xs[]; };
layout(binding = 2) readonly buffer Ys { vec4 ys[]; };
layout(binding = 3) writeonly buffer Outs { vec4 zs[]; };
#else
#define FIRST 0
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer Out { float z[]; };
layout(binding = 0) readonly buffer Xs { vec4 xs[]; };
layout(binding = 1) readonly buffer Ys { vec4 ys[]; };
layout(binding = 2) writeonly buffer Outs { vec4 zs[]; };
#endif
#define RESULT (FIRST + 2)

#if defined(GRAD_X)
#define F(x, y, d) PASTE(dfx_, OP)(x, y, d)
#elif defined(GRAD_Y)
#define F(x, y, d) PASTE(dfy_, OP)(x, y, d)
#else
#define F(x, y, d) PASTE(f_, OP)(x, y)
#endif

void one(uint i) {
  const uvec2 at = places(i);
  z[i + SHIFT(RESULT)] = F(x[at.x + SHIFT(FIRST)], y[at.y + SHIFT(FIRST + 1)], d[i + SHIFT(0)]);
}

void four(uint i) {
  const vec4 vx = xs[(i + SHIFT(FIRST)) / 4], vy = ys[(i + SHIFT(FIRST + 1)) / 4];
#if FIRST == 1
  const vec4 vd = ds[(i + SHIFT(0)) / 4];
#endif
  zs[(i + SHIFT(RESULT)) / 4] = vec4(F(vx.x, vy.x, vd.x), F(vx.y, vy.y, vd.y), F(vx.z, vy.z, vd.z), F(vx.w, vy.w, vd.w));
}

void main() {
  const uint i = first_element();
  if (as_vector(i))
    four(i);
  else
    for (uint at = i; at < min(i + 4, p.count); ++at) one(at);
}
