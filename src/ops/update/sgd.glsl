// One step of SGD for one weight. SgdParams in update.h.
layout(push_constant) uniform P { uint shifts[2]; uint count; float lr, momentum, weight_decay; uint nesterov; } p;
layout(binding = 0) buffer W { float w[]; };
layout(binding = 1) readonly buffer G { float g[]; };

#ifdef VELOCITY
#include "ops/update/velocity.glsl"
layout(binding = 2) buffer V { float v[]; };

void sgd(uint i, float rate) {
  const float weight = w[i + SHIFT(0)];
  const float gradient = g[i + SHIFT(1)] + p.weight_decay * weight;
  const float velocity = kept_of(v[i + SHIFT(2)], p.momentum) + gradient;
  v[i + SHIFT(2)] = velocity;
  w[i + SHIFT(0)] = weight - rate * (p.nesterov != 0 ? gradient + p.momentum * velocity : velocity);
}
#else
void sgd(uint i, float rate) {
  const float weight = w[i + SHIFT(0)];
  w[i + SHIFT(0)] = weight - rate * (g[i + SHIFT(1)] + p.weight_decay * weight);
}
#endif
