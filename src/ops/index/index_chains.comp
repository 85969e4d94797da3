#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint outer, middle, inner, begin, end; } p;
layout(binding = 0) readonly buffer Index { int index[]; };
layout(binding = 1) writeonly buffer Chains { uint chains[]; };
#include "ops/index/chains.glsl"

void main() {
  const uint i = item();
  if (!has_place(i)) return;
  const Place place = place_in_stretch(i);
  const uint at = in_index(place) + SHIFT(0), length = p.end - p.begin;
  const int number = index[at];
  uint link = first_of_chain;
  for (uint back = 1; back <= place.at && link != 0; ++back)
    if (index[at - back * p.inner] == number) link = 0;
  uint next = place.at + 1;
  while (next < length && index[at + (next - place.at) * p.inner] != number) ++next;
  chains[i + SHIFT(1)] = link | (next < length ? next : end_of_chain);
}
