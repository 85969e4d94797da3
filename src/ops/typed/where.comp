#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/typed/types.glsl"
#define OUT 3
#include "ops/typed/narrow.glsl"

layout(binding = 0) readonly buffer Condition { uint conditions[]; };
layout(binding = 1) readonly buffer A { uint a[]; };
layout(binding = 2) readonly buffer B { uint b[]; };

uint element(uint i) {
  const uint bytes = bytes_of(p.from);
  if (ELEMENT(conditions, 1, i + SHIFT(0)) != 0) return ELEMENT(a, bytes, i + SHIFT(1));
  return ELEMENT(b, bytes, i + SHIFT(2));
}

void main() { write_word(bytes_of(p.from), SHIFT(OUT), p.count, item()); }
