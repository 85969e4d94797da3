#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; float beta1, beta2, rest1, rest2; } p;
layout(binding = 0) buffer Rates { float lr, correction1, correction2; uint step_count; };

void main() {
  if (item() != 0) return;
  correction1 = p.beta1 * correction1 + p.rest1;
  correction2 = p.beta2 * correction2 + p.rest2;
  ++step_count;
}
