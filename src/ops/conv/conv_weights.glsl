#include "ops/conv/weights_params.glsl"
#include "ops/matmul/block.glsl"
#include "ops/conv/window.glsl"

layout(binding = 0) readonly buffer Dy { float a[]; };
#include "ops/conv/seen.glsl"
layout(binding = 2) writeonly buffer Sums { float sums_of_parts[]; };

uint a_row(Block block, uint row) { return (block.matrix * rows() + row) * p.oh * p.ow + SHIFT(0); }
Place place_of(Block block, uint k) {
  const uint windows = p.oh * p.ow, image = k / windows;
  const ivec2 corner = corner_of(k % windows);
  return Place(image * p.o * windows + k % windows, corner[0], corner[1], int(image * p.c * p.h * p.w) + in_plane(corner));
}
Column column_at(Block block, uint column) {
  const uint taps = p.kh * p.kw;
  const ivec2 way = way_to(column % taps);
  return Column(way[0], way[1], int((block.matrix * (p.c / p.groups) + column / taps) * p.h * p.w) + in_plane(way), column);
}
float b_value(Place at, Column column) { return column.to == weights_of_row() ? 1.0 : seen(at, column); }
void put(Block block, uint row, uint column, Column unused, float sum) { sums_of_parts[place_of_part(block, row, column) + SHIFT(2)] = sum; }
