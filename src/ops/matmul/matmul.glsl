// c = a · b of matrices that lie anyhow, many at once, with a bias and an activation.
//
// What lanes.glsl and tiles.glsl want to know of a product:
//   start(block)                                  called first
//   a_row(block, row) + place_of(block, k).a      where a has this row and k
//   b_value(place, column)                        what b has there
//   put(block, row, column, …, sum)               writes a result
#include "ops/matmul/matmul_params.glsl"
#include "ops/matmul/activation.glsl"
#include "ops/matmul/block.glsl"

layout(binding = 0) readonly buffer A { float a[]; };
#ifdef VECTORS
layout(binding = 1) readonly buffer B { vec4 b_values_in[]; };
#else
layout(binding = 1) readonly buffer B { float b_values_in[]; };
#endif
layout(binding = 2) writeonly buffer C { float c[]; };
layout(binding = 3) readonly buffer Bias { float bias[]; };

struct Place { uint a, b; };
struct Column { uint b; };

// How far a matrix of a or b is from the first.
uint step_to(uint matrix, uint step[3]) {
  uint way = 0;
  for (int axis = 2; axis >= 0; --axis) {
    way += matrix % p.size[axis] * step[axis];
    matrix /= p.size[axis];
  }
  return way;
}
uint first_of_a, first_of_b;
void start(Block block) {
  first_of_a = step_to(block.matrix, p.a_step) + SHIFT(0);
  first_of_b = step_to(block.matrix, p.b_step) + SHIFT(1);
}
uint a_row(Block block, uint row) { return row * p.a_row + first_of_a; }
Place place_of(Block block, uint k) { return Place(k * p.a_k, k * p.b_k); }
Column column_at(Block block, uint column) { return Column(column * p.b_column + first_of_b); }
#ifdef VECTORS
vec4 b_four(Place at, Column column) { return b_values_in[(at.b + column.b) / 4]; }
#define PLACE_TOLD(place, teller, computed) computed
#else
float b_value(Place at, Column column) { return b_values_in[at.b + column.b]; }
#define PLACE_TOLD(place, teller, computed) Place(0, subgroupBroadcast(place.b, teller))
#endif

// The bias and the activation follow. Drivers that evaluate every branch would spend much of a short product on activations that nobody wants.
layout(constant_id = 0) const bool finishing = false;

void put(Block block, uint row, uint column, Column unused, float sum) {
  if (p.parts > 1) {
    c[place_of_part(block, row, column) + SHIFT(2)] = sum;
    return;
  }
  if (finishing) {
    if (p.bias != 0) sum += bias[(p.bias == 1 ? row : column) + SHIFT(3)];
    sum = activated(sum, p.activation);
  }
  c[block.matrix * p.c_matrix + row * p.c_row + column * p.c_column + SHIFT(2)] = sum;
}
