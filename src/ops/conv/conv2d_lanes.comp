#version 450
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_GOOGLE_include_directive : require
#define GROUP 8
#include "ops/common.glsl"
#include "ops/conv/conv_forward.glsl"
#include "ops/matmul/lanes.glsl"
