#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#ifdef GRAD_P
#define GRAD
#endif
#ifdef GRAD_T
#define GRAD
#endif

#ifdef GRAD
layout(push_constant) uniform P { uint shifts[2]; uint count; float scale; } p;
#else
#include "ops/reduce/fold.glsl"
#endif
layout(binding = 0) readonly buffer Prediction { float predictions[]; };
layout(binding = 1) readonly buffer Target { float targets[]; };
#ifdef GRAD
layout(binding = 2) readonly buffer D { float d[]; };
layout(binding = 3) writeonly buffer Out { float y[]; };
#else
layout(binding = 2) writeonly buffer Out { float y[]; };
#endif

// The words of loss.def, as in loss_cpu.cpp. `sign` of NaN is 0.
#define sign(x) sign_or_zero(x)
float sign_or_zero(float x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0); }
float huber(float x) { return abs(x) < 1.0 ? 0.5 * x * x : abs(x) - 0.5; }
float limited(float x) { return x > 1.0 ? 1.0 : (x < -1.0 ? -1.0 : x); }
float larger(float x, float y) { return x < y ? y : x; }
float not_below_100(float x) { return larger(x, -100.0); }
float log_rest(float x) {
  return x < 1.0 ? log1p(-x) : (x == 1.0 ? uintBitsToFloat(0xff800000u) : uintBitsToFloat(0x7fc00000u));
}
float log_sigmoid(float x) { return (x < 0.0 ? x : (x >= 0.0 ? 0.0 : x)) - log1p(exp(-abs(x))); }

#define LOSS(name, f, dp, dt)                          \
  float name##_f(float p, float t) { return f; }       \
  float name##_dp(float p, float t) { return dp; }     \
  float name##_dt(float p, float t) { return dt; }
#include "ops/loss/loss.def"

#ifdef GRAD
#ifdef GRAD_P
#define SLOPE PASTE(OP, _dp)
#else
#define SLOPE PASTE(OP, _dt)
#endif
void main() {
  const uint i = item();
  if (i < p.count) y[i + SHIFT(3)] = d[SHIFT(2)] * p.scale * SLOPE(predictions[i + SHIFT(0)], targets[i + SHIFT(1)]);
}
#else
float value(uint at, uint line) { return PASTE(OP, _f)(predictions[at + SHIFT(0)], targets[at + SHIFT(1)]); }
void main() {
  const uint i = item();
  if (has_fold(i)) y[i + SHIFT(2)] = folded(i);
}
#endif
