#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/index/gather.glsl"

layout(binding = 0) readonly buffer D { float d[]; };
layout(binding = 1) readonly buffer Index { int index[]; };
layout(binding = 2) readonly buffer Chains { uint chains[]; };
layout(binding = 3) buffer Out { float y[]; };
#include "ops/index/chains.glsl"

void main() {
  const uint i = item();
  if (!has_place(i)) return;
  uint link = chains[i + SHIFT(2)];
  Place place = place_in_stretch(i);
  const uint at = in_index(place);
  const int number = index[at + SHIFT(1)];
  if (link < first_of_chain || !in_range(number)) return;
  const uint to = place_in_x(at) + uint(number) * p.step + SHIFT(3);
  float sum = y[to] + d[at + SHIFT(0)];
  for (link &= end_of_chain; link != end_of_chain; link = chains[in_stretch(place) + SHIFT(2)]) {
    place.at = link;
    sum += d[in_index(place) + SHIFT(0)];
  }
  y[to] = sum;
}
