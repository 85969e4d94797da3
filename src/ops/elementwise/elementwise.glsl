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
