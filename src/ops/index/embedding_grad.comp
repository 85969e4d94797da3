#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/index/rows.glsl"

layout(binding = 0) readonly buffer D { float d[]; };
layout(binding = 1) readonly buffer Index { int index[]; };
layout(binding = 2) readonly buffer Chains { uint chains[]; };
layout(binding = 3) buffer Out { float y[]; };
#include "ops/index/chains.glsl"

// One number of the row that an index of the stretch names.
void main() {
  const uint i = item(), at = i / p.width, column = i % p.width;
  if (!has_place(at)) return;
  uint link = chains[at + SHIFT(2)];
  const int number = index[p.begin + at + SHIFT(1)];
  if (link < first_of_chain || !in_range(number)) return;
  const uint to = uint(number) * p.width + column + SHIFT(3);
  float sum = y[to] + d[(p.begin + at) * p.width + column + SHIFT(0)];
  for (link &= end_of_chain; link != end_of_chain; link = chains[link + SHIFT(2)]) sum += d[(p.begin + link) * p.width + column + SHIFT(0)];
  y[to] = sum;
}
