// dx of each group: rows are its input channels, columns the pixels of all images, and k goes over output channels and taps.
#include "ops/conv/conv_params.glsl"

layout(constant_id = 0) const bool strided = false;  // windows are further than one pixel from each other

uint rows() { return p.c / p.groups; }
uint columns_in_all() { return p.n * p.h * p.w; }
uint depth() { return p.o / p.groups * p.kh * p.kw; }
#include "ops/conv/whole.glsl"

layout(binding = 1) readonly buffer Dy { float dys[]; };
layout(binding = 2) writeonly buffer Dx { float dxs[]; };

uint a_row(Block block, uint row) { return row * p.kh * p.kw + SHIFT(0); }
Place place_of(Block block, uint k) {
  const uint taps = p.kh * p.kw, channel = k / taps;
  const ivec2 way = way_to(k % taps);
  const int at = int(channel * p.oh * p.ow) - (strided ? 0 : way[0] * int(p.ow) + way[1]);
  return Place(((block.matrix * (p.o / p.groups) + channel) * rows()) * taps + k % taps, -way[0], -way[1], at);
}
Column column_at(Block block, uint column) {
  const uint plane = p.h * p.w, image = column / plane, pixel = column % plane;
  const int y = int(pixel / p.w + p.padding), x = int(pixel % p.w + p.padding);
  const int at = int((image * p.o + block.matrix * (p.o / p.groups)) * p.oh * p.ow) + (strided ? 0 : y * int(p.ow) + x);
  return Column(y, x, at, (image * p.c + block.matrix * rows()) * plane + pixel);
}
// What dy has for the window whose tap is this pixel, if there is one.
float b_value(Place place, Column column) {
  int y = place.y + column.y, x = place.x + column.x, at = place.at + column.at;
  bool there = true;
  if (strided) {
    const int stride = int(p.stride);
    there = y >= 0 && x >= 0 && y % stride == 0 && x % stride == 0;
    y /= stride;
    x /= stride;
    at += y * int(p.ow) + x;
  }
  there = there && uint(y) < p.oh && uint(x) < p.ow;
  const float value = dys[there ? uint(at) + SHIFT(1) : SHIFT(1)];
  return there ? value : 0.0;
}
void put(Block block, uint row, uint column, Column of, float sum) {
  dxs[of.to + row * p.h * p.w + SHIFT(2)] = with_bias(sum, block, row);
}
