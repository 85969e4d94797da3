#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/reduce/line_grad.glsl"

void main() {
  const uint i = item();
  if (!has_element(i)) return;
  const float norm = ys[line_of(i) + SHIFT(1)], d = ds[line_of(i) + SHIFT(2)];
  dxs[i + SHIFT(3)] = norm == 0.0 ? 0.0 : xs[i + SHIFT(0)] * (d / norm);
}
