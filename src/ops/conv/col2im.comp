#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/conv/columns.glsl"

layout(binding = 0) readonly buffer Columns { float columns[]; };
layout(binding = 1) writeonly buffer X { float x[]; };

// Which window has place `k` on this row or column of the image; `windows` or more: none.
uint window_at(uint place, uint k, uint windows) {
  const uint from = place + p.padding - k * p.dilation;  // wraps around below 0
  return place + p.padding < k * p.dilation || from % p.stride != 0 ? windows : from / p.stride;
}

void main() {
  const uint i = item();
  if (i >= p.n * p.c * p.h * p.w) return;
  const uint plane = i / p.w / p.h, row = i / p.w % p.h, column = i % p.w;
  float sum = 0.0;
  for (uint ky = 0; ky < p.kh; ++ky) {
    const uint oy = window_at(row, ky, p.oh);
    if (oy >= p.oh) continue;
    for (uint kx = 0; kx < p.kw; ++kx) {
      const uint ox = window_at(column, kx, p.ow);
      if (ox < p.ow) sum += columns[(((plane * p.kh + ky) * p.kw + kx) * p.oh + oy) * p.ow + ox + SHIFT(0)];
    }
  }
  x[i + SHIFT(1)] = sum;
}
