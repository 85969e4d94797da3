#version 450
#extension GL_GOOGLE_include_directive : require
#define GROUP 256
#include "ops/common.glsl"
#include "ops/conv/conv_input.glsl"
#include "ops/matmul/tiles.glsl"
