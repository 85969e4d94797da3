#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/layout/strided.glsl"

layout(constant_id = 0) const uint bytes = 1;
layout(binding = 0) readonly buffer In { uint x[]; };
#define OUT 1
#include "ops/typed/narrow.glsl"

// Words are made of runs, elements that lie side by side in the output: all of them, the last axis, or each alone.
uint from;

uint element(uint i) {
  if (p.run < p.count) return ELEMENT(x, bytes, from + i * p.in_stride[p.rank - 1]);
  uint at = from;
  for (uint axis = 0; axis < p.rank; ++axis) at += i / p.out_stride[axis] % p.size[axis] * p.in_stride[axis];
  return ELEMENT(x, bytes, at);
}

void main() {
  const uint in_word = 4 / bytes, words = (p.run + in_word - 2) / in_word + 1, run = item() / words;
  if (run >= p.count / p.run) return;
  const uvec2 ends = ends_of(run, p.run == p.count ? 0 : (p.run == 1 ? p.rank : p.rank - 1));
  from = ends.x;
  write_word(bytes, ends.y, p.run, item() % words);
}
