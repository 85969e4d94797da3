#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

#define TYPE int
#include "ops/reduce/first_place.glsl"
