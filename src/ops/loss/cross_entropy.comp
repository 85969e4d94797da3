#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/loss/classes.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Labels { int labels[]; };
layout(binding = 2) writeonly buffer Out { float losses[]; };
COMPLAINTS(3);

void main() {
  const uint row = item();
  if (row >= p.rows) return;
  const int label = labels[row + SHIFT(1)];
  if (!is_class(label)) {
    COMPLAIN(p.code, label, int(p.classes))
    losses[row + SHIFT(2)] = 0.0;
    return;
  }
  const uint at = row * p.classes + SHIFT(0);
  float largest = x[at], sum = 0.0;
  for (uint i = 1; i < p.classes; ++i) largest = max(largest, x[at + i]);
  for (uint i = 0; i < p.classes; ++i) sum += exp(x[at + i] - largest);
  losses[row + SHIFT(2)] = log(sum) - (x[at + uint(label)] - largest);
}
