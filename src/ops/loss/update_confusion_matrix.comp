#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/loss/classes.glsl"

layout(binding = 0) readonly buffer Predictions { int predictions[]; };
layout(binding = 1) readonly buffer Labels { int labels[]; };
layout(binding = 2) buffer Counts { int counts[]; };
COMPLAINTS(3);

// Whole numbers add up to the same in any order.
void main() {
  const uint row = item();
  if (row >= p.rows) return;
  const int label = labels[row + SHIFT(1)], prediction = predictions[row + SHIFT(0)];
  if (!is_class(label))
    COMPLAIN(p.code, label, int(p.classes))
  else if (!is_class(prediction))
    COMPLAIN(p.code, prediction, int(p.classes))
  else
    atomicAdd(counts[uint(label) * p.classes + uint(prediction) + SHIFT(2)], 1);
}
