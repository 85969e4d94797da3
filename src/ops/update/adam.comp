#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/update/adam.glsl"

void main() { adam(p.step_size, p.correction2, 0.0); }
