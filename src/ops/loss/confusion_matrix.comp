#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/loss/confusion.glsl"

void main() {
  if (item() != 0) return;
  for (uint i = 0; i < p.classes * p.classes; ++i) counts[i + SHIFT(2)] = 0;
  count_rows();
}
