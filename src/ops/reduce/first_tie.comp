#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/reduce/line_grad.glsl"

// d where x is y for the first time along the line, else 0.
void main() {
  const uint i = item();
  if (!has_element(i)) return;
  const float y = ys[line_of(i) + SHIFT(1)];
  bool first = same(xs[i + SHIFT(0)], y);
  for (uint m = 1; first && m <= place_in_line(i); ++m) first = !same(xs[i - m * p.inner + SHIFT(0)], y);
  dxs[i + SHIFT(3)] = first ? ds[line_of(i) + SHIFT(2)] : 0.0;
}
