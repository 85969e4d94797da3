#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/reduce/middle.glsl"
#include "ops/together.glsl"

layout(binding = 0) readonly buffer Y { float y[]; };
layout(binding = 1) readonly buffer Dy { float dy[]; };
layout(binding = 2) writeonly buffer Out { float dx[]; };

void main() {
  const uint line = my_line();
  if (!has_line(line)) return;
  const uint at = line_begin(line) + SHIFT(0), from = line_begin(line) + SHIFT(1), to = line_begin(line) + SHIFT(2);
  float sum = 0.0;
  for (uint m = my_first(); m < p.middle; m += my_step()) sum += dy[from + m * p.inner];
  sum = sum_of_line(sum);
  for (uint m = my_first(); m < p.middle; m += my_step()) dx[to + m * p.inner] = dy[from + m * p.inner] - exp(y[at + m * p.inner]) * sum;
}
