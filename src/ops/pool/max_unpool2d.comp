#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint planes, inputs, outputs, begin, end, complaint; } p;
layout(binding = 0) readonly buffer Dy { float dy[]; };
layout(binding = 1) readonly buffer Indices { int indices[]; };
layout(binding = 2) buffer Out { float dx[]; };
COMPLAINTS(3);

// Each element of dx gathers from those that name it; the first of a plane looks for wrong names too.
void main() {
  const uint i = item();
  if (i >= p.planes * p.inputs) return;
  const uint plane = i / p.inputs, place = i % p.inputs;
  float sum = p.begin == 0 ? 0.0 : dx[i + SHIFT(2)];
  for (uint at = plane * p.outputs + p.begin; at < plane * p.outputs + p.end; ++at) {
    const int named = indices[at + SHIFT(1)];
    if (uint(named) == place) sum += dy[at + SHIFT(0)];
    if (place == 0 && uint(named) >= p.inputs) COMPLAIN(p.complaint, named, int(p.inputs))
  }
  dx[i + SHIFT(2)] = sum;
}
