#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/typed/types.glsl"
#define OUT 2
#include "ops/typed/narrow.glsl"

layout(binding = 0) readonly buffer Condition { uint conditions[]; };
layout(binding = 1) readonly buffer D { uint d[]; };

uint element(uint i) { return (ELEMENT(conditions, 1, i + SHIFT(0)) != 0) == (p.keep != 0) ? ELEMENT(d, bytes_of(p.from), i + SHIFT(1)) : 0u; }

void main() { write_word(bytes_of(p.from), SHIFT(OUT), p.count, item()); }
