#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/loss/classes.glsl"
#include "ops/loss/logits.glsl"

layout(binding = 2) writeonly buffer Out { float losses[]; };
COMPLAINTS(3);

void main() {
  const uint row = my_line();
  if (row >= p.rows) return;
  const int label = labels[row + SHIFT(1)];
  const uint at = row * p.classes + SHIFT(0);
  const float largest = largest_of_row(at), sum = sum_of_row(at, largest);
  if (!i_write()) return;
  if (!is_class(label)) COMPLAIN(p.code, label, int(p.classes))
  losses[row + SHIFT(2)] = is_class(label) ? log(sum) - (x[at + uint(label)] - largest) : 0.0;
}
