#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/reduce/line_grad.glsl"

// d where x is y, else 0.
void main() {
  const uint i = item();
  if (!has_element(i)) return;
  dxs[i + SHIFT(3)] = same(xs[i + SHIFT(0)], ys[line_of(i) + SHIFT(1)]) ? ds[line_of(i) + SHIFT(2)] : 0.0;
}
