#version 450
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_GOOGLE_include_directive : require
#define GROUP 8
#define VECTORS
#include "ops/common.glsl"
#include "ops/matmul/matmul.glsl"
#include "ops/matmul/lanes.glsl"
