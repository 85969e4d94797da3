#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

#define TYPE float
#include "ops/reduce/first_place.glsl"
