#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/conv/conv_params.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Columns { float columns[]; };

void main() {
  const uint i = item(), windows = p.oh * p.ow, taps = p.kh * p.kw;
  if (i >= p.n * p.c * taps * windows) return;
  const uint tap = i / windows % taps, plane = i / windows / taps;
  // In the padding before the image these wrap around, and are beyond it too.
  const uint row = i % windows / p.ow * p.stride + tap / p.kw * p.dilation - p.padding;
  const uint column = i % p.ow * p.stride + tap % p.kw * p.dilation - p.padding;
  const bool inside = row < p.h && column < p.w;
  columns[i + SHIFT(1)] = inside ? x[(plane * p.h + row) * p.w + column + SHIFT(0)] : 0.0;
}
