#include "ops/common.glsl"

// ElementwiseParams in params.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint count;
  uint rank;
  float a, b;
  uint size[8];
  uint stride_x[8];
  uint stride_y[8];
} p;

// Where element i of the output finds x and y.
uvec2 places(uint i) {
  if (p.rank == 0) return uvec2(i);
  uvec2 found = uvec2(0);
  for (int axis = int(p.rank) - 1; axis >= 0; --axis) {
    found += i % p.size[axis] * uvec2(p.stride_x[axis], p.stride_y[axis]);
    i /= p.size[axis];
  }
  return found;
}

// A work item takes four elements: as a vector where all lie one after the other, from places that are multiples of four.
uint first_element() { return 4 * item(); }
bool as_vector(uint i) { return p.rank == 0 && IN_FOURS(i); }

// A function's body. Drivers that may contract and reorder do it otherwise from shader to shader, and a plan may make one shader of several.
#define MADE_BY(f)          \
  {                         \
    precise float made = f; \
    return made;            \
  }
