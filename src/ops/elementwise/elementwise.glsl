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

// A work item takes four elements: as a vector where all lie one after the other, from places that are multiples of four.
uint first_element() { return 4 * item(); }
bool as_vector(uint i) { return p.rank == 0 && i + 4 <= p.count && (p.shifts[0] & 0x03030303u) == 0; }
