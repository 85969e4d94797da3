#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/update/adam.glsl"
layout(binding = 4) readonly buffer Rates { float lr, correction_1, correction_2; uint step_count; };

void main() { adam(lr / correction_1, 1.0 / sqrt(correction_2), lr); }
