#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/reduce/middle.glsl"
#include "ops/together.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Out { float y[]; };

void main() {
  const uint line = my_line();
  if (!has_line(line)) return;
  const uint at = line_begin(line) + SHIFT(0), to = line_begin(line) + SHIFT(1);
  float largest = x[at], sum = 0.0;
  for (uint m = my_first(); m < p.middle; m += my_step()) largest = max(largest, x[at + m * p.inner]);
  largest = largest_of_line(largest);
  for (uint m = my_first(); m < p.middle; m += my_step()) sum += exp(x[at + m * p.inner] - largest);
  sum = sum_of_line(sum);
  for (uint m = my_first(); m < p.middle; m += my_step()) y[to + m * p.inner] = x[at + m * p.inner] - largest - log(sum);
}
