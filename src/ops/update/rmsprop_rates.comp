#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/update/velocity.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint count; float alpha, rest, eps, momentum, weight_decay; } p;
layout(binding = 0) buffer W { float w[]; };
layout(binding = 1) readonly buffer G { float g[]; };
layout(binding = 2) buffer S { float s[]; };
layout(binding = 3) buffer V { float v[]; };
layout(binding = 4) readonly buffer Rates { float lr; };

void main() {
  const uint i = item();
  if (i >= p.count) return;
  const float weight = w[i + SHIFT(0)];
  const float gradient = g[i + SHIFT(1)] + p.weight_decay * weight;
  const float square = p.alpha * s[i + SHIFT(2)] + p.rest * gradient * gradient;
  const float velocity = kept_of(v[i + SHIFT(3)], p.momentum) + gradient / (sqrt(square) + p.eps);
  s[i + SHIFT(2)] = square;
  v[i + SHIFT(3)] = velocity;
  w[i + SHIFT(0)] = weight - lr * velocity;
}
