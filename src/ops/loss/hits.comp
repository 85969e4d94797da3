#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/loss/classes.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Labels { int labels[]; };
layout(binding = 2) writeonly buffer Out { float hits[]; };
COMPLAINTS(3);

void main() {
  const uint row = item();
  if (row >= p.rows) return;
  const int label = labels[row + SHIFT(1)];
  if (!is_class(label)) COMPLAIN(p.code, label, int(p.classes))
  const uint at = row * p.classes + SHIFT(0);
  uint best = 0;
  for (uint i = 1; i < p.classes; ++i) {
    const float value = x[at + i], before = x[at + best];
    if (before == before && !(before >= value)) best = i;  // NaN is the largest
  }
  hits[row + SHIFT(2)] = int(best) == label ? 1.0 : 0.0;
}
