#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

#define TYPE float
#define BETTER(value, best) (value > best)
#include "ops/reduce/extremum.glsl"
