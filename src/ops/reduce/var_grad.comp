#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

// MiddleParams in reduce.h.
layout(push_constant) uniform P { uint shifts[2]; uint outer, middle, inner; float scale; } p;
layout(binding = 0) readonly buffer X { float xs[]; };
layout(binding = 1) readonly buffer Line { float lines[]; };
layout(binding = 2) readonly buffer D { float ds[]; };
layout(binding = 3) writeonly buffer Out { float y[]; };

void main() {
  const uint i = item();
  if (i >= p.outer * p.middle * p.inner) return;
  const uint line = i / (p.middle * p.inner) * p.inner + i % p.inner;
  const float x = xs[i + SHIFT(0)], line_value = lines[line + SHIFT(1)], d = ds[line + SHIFT(2)];  // line_value is the mean.
  y[i + SHIFT(3)] = p.scale * d * (x - line_value);
}
