#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(constant_id = 0) const uint bytes = 1;
layout(push_constant) uniform P { uint shifts[2]; uint count; uint bits; } p;
#define OUT 0
#include "ops/typed/narrow.glsl"

uint element(uint i) { return p.bits; }

void main() { write_word(bytes, SHIFT(OUT), p.count, item()); }
