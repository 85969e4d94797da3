#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/loss/classes.glsl"
#include "ops/loss/logits.glsl"

layout(binding = 2) readonly buffer D { float d[]; };
layout(binding = 3) writeonly buffer Out { float dx[]; };
COMPLAINTS(4);

void main() {
  const uint row = my_line();
  if (row >= p.rows) return;
  const int label = labels[row + SHIFT(1)];
  if (i_write() && !is_class(label)) COMPLAIN(p.code, label, int(p.classes))
  const float scale = p.with_d != 0 ? p.scale * d[SHIFT(2)] : p.scale;
  const uint at = row * p.classes + SHIFT(0), to = row * p.classes + SHIFT(3);
  const float largest = largest_of_row(at), sum = sum_of_row(at, largest);
  for (uint i = my_first(); i < p.classes; i += my_step())
    dx[to + i] = exp(x[at + i] - largest) / sum * scale - (int(i) == label ? scale : 0.0);
}
