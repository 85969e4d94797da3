#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/reduce/line_grad.glsl"
#include "ops/together.glsl"

// d where x is y for the first time along the line, else 0.
shared uint lane_first[gl_WorkGroupSize.x];

uint first_of_line(uint mine) {
  if (!together) return mine;
  lane_first[LANE] = mine;
  barrier();
  for (uint half_way = lane_count / 2; half_way > 0; half_way /= 2) {
    if (LANE < half_way) lane_first[LANE] = min(lane_first[LANE], lane_first[LANE + half_way]);
    barrier();
  }
  return lane_first[0];
}

void main() {
  const uint line = my_line();
  if (!has_line(line)) return;
  const uint at = line_begin(line);
  const float y = ys[line + SHIFT(1)], d = ds[line + SHIFT(2)];
  uint first = my_first();
  while (first < p.middle && !same(xs[at + first * p.inner + SHIFT(0)], y)) first += my_step();
  first = first_of_line(first);
  for (uint m = my_first(); m < p.middle; m += my_step()) dxs[at + m * p.inner + SHIFT(3)] = m == first ? d : 0.0;
}
