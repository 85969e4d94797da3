#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint count; float beta1, beta2, eps, weight_decay, step_size, correction2; } p;
layout(binding = 0) buffer W { float w[]; };
layout(binding = 1) readonly buffer G { float g[]; };
layout(binding = 2) buffer M { float m[]; };
layout(binding = 3) buffer V { float v[]; };

void main() {
  const uint i = item();
  if (i >= p.count) return;
  const float weight = w[i + SHIFT(0)];
  const float gradient = g[i + SHIFT(1)] + p.weight_decay * weight;
  const float mean = p.beta1 * m[i + SHIFT(2)] + (1.0 - p.beta1) * gradient;
  const float square = p.beta2 * v[i + SHIFT(3)] + (1.0 - p.beta2) * gradient * gradient;
  m[i + SHIFT(2)] = mean;
  v[i + SHIFT(3)] = square;
  w[i + SHIFT(0)] = weight - p.step_size * mean / (sqrt(square) * p.correction2 + p.eps);
}
