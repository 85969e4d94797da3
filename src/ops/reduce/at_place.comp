#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/reduce/middle.glsl"

layout(binding = 0) readonly buffer Places { int places[]; };
layout(binding = 1) readonly buffer D { float ds[]; };
layout(binding = 2) writeonly buffer Dx { float dxs[]; };

// d at one place of each line, else 0.
void main() {
  const uint i = item();
  if (!has_element(i)) return;
  const uint line = line_of(i);
  dxs[i + SHIFT(2)] = i / p.inner % p.middle == uint(places[line + SHIFT(0)]) ? ds[line + SHIFT(1)] : 0.0;
}
