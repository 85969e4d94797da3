// The gradient of an x of which every line has one y: y and d are [outer, inner].
#include "ops/reduce/middle.glsl"
layout(binding = 0) readonly buffer X { float xs[]; };
layout(binding = 1) readonly buffer Y { float ys[]; };
layout(binding = 2) readonly buffer D { float ds[]; };
layout(binding = 3) writeonly buffer Dx { float dxs[]; };

bool same(float a, float b) { return a == b || (a != a && b != b); }  // NaN is NaN here
