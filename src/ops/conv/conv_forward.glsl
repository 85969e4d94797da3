// y of each group: rows are its output channels, columns the windows of all images, and k goes over channels and taps.
#include "ops/conv/conv_params.glsl"
#include "ops/matmul/activation.glsl"

uint rows() { return p.o / p.groups; }
uint columns_in_all() { return p.n * p.oh * p.ow; }
uint depth() { return p.c / p.groups * p.kh * p.kw; }
#include "ops/conv/whole.glsl"

#include "ops/conv/seen.glsl"
layout(binding = 2) writeonly buffer Y { float ys[]; };

uint a_row(Block block, uint row) { return (block.matrix * rows() + row) * depth() + SHIFT(0); }
Place place_of(Block block, uint k) {
  const uint taps = p.kh * p.kw;
  const ivec2 way = way_to(k % taps);
  return Place(k, way[0], way[1], int(k / taps * p.h * p.w) + in_plane(way));
}
Column column_at(Block block, uint column) {
  const uint windows = p.oh * p.ow, image = column / windows;
  const ivec2 corner = corner_of(column % windows);
  return Column(corner[0], corner[1], int((image * p.c + block.matrix * (p.c / p.groups)) * p.h * p.w) + in_plane(corner),
                (image * p.o + block.matrix * rows()) * windows + column % windows);
}
float b_value(Place at, Column column) { return seen(at, column); }
void put(Block block, uint row, uint column, Column of, float sum) {
  ys[of.to + row * p.oh * p.ow + SHIFT(2)] = activated(with_bias(sum, block, row), p.activation);
}
