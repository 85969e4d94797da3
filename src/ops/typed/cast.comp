#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/typed/types.glsl"
#define OUT 1
#include "ops/typed/narrow.glsl"

layout(binding = 0) readonly buffer In { uint x[]; };

uint element(uint i) { return converted(ELEMENT(x, bytes_of(p.from), i + SHIFT(0))); }

void main() { write_word(bytes_of(p.to), SHIFT(OUT), p.count, item()); }
