#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/loss/classes.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Labels { int labels[]; };
layout(binding = 2) writeonly buffer Out { float hits[]; };
COMPLAINTS(3);
#define TYPE float
#include "ops/reduce/largest_at.glsl"

void main() {
  const uint row = my_line();
  if (row >= p.rows) return;
  const int label = labels[row + SHIFT(1)];
  const uint best = largest_at(row * p.classes + SHIFT(0), p.classes, 1);
  if (!i_write()) return;
  if (!is_class(label)) COMPLAIN(p.code, label, int(p.classes))
  hits[row + SHIFT(2)] = int(best) == label ? 1.0 : 0.0;
}
