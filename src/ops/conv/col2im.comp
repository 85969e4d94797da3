#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/conv/conv_params.glsl"

layout(binding = 0) readonly buffer Columns { float columns[]; };
layout(binding = 1) writeonly buffer X { float x[]; };

// Along one axis: the window that has its place `tap` at `place` of the padded image. Either may be the fewer, and those are gone
// through, so that no loop is long; the order is that of the taps.
struct Hit {
  uint tap, window;
};
Hit hit_at(uint place, uint i, uint taps, uint windows) {
  Hit hit = Hit(i, windows - 1 - i);
  if (taps <= windows)
    hit.window = (place - hit.tap * p.dilation) / p.stride;
  else
    hit.tap = (place - hit.window * p.stride) / p.dilation;
  return hit;
}
// What lies before the image wraps around, and is no hit either.
bool is_hit(Hit hit, uint place, uint taps, uint windows) {
  return hit.tap < taps && hit.window < windows && hit.window * p.stride + hit.tap * p.dilation == place;
}

void main() {
  const uint i = item();
  if (i >= p.n * p.c * p.h * p.w) return;
  const uint plane = i / p.w / p.h, row = i / p.w % p.h + p.padding, column = i % p.w + p.padding;
  float sum = 0.0;
  for (uint down = 0; down < min(p.kh, p.oh); ++down) {
    const Hit hit_y = hit_at(row, down, p.kh, p.oh);
    if (!is_hit(hit_y, row, p.kh, p.oh)) continue;
    for (uint along = 0; along < min(p.kw, p.ow); ++along) {
      const Hit hit_x = hit_at(column, along, p.kw, p.ow);
      if (!is_hit(hit_x, column, p.kw, p.ow)) continue;
      sum += columns[(((plane * p.kh + hit_y.tap) * p.kw + hit_x.tap) * p.oh + hit_y.window) * p.ow + hit_x.window + SHIFT(0)];
    }
  }
  x[i + SHIFT(1)] = sum;
}
