#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P {
  uint shifts[2];
  uint count, rank, in_offset, out_offset;
  uint size[8];
  uint in_stride[8];
  uint out_stride[8];
} p;
layout(binding = 0) readonly buffer In { uint x[]; };
layout(binding = 1) writeonly buffer Out { uint y[]; };

void main() {
  const uint i = item();
  if (i >= p.count) return;
  uint from = p.in_offset, to = p.out_offset, rest = i;
  for (int axis = int(p.rank) - 1; axis >= 0; --axis) {
    const uint at = rest % p.size[axis];
    rest /= p.size[axis];
    from += at * p.in_stride[axis];
    to += at * p.out_stride[axis];
  }
  y[to + SHIFT(1)] = x[from + SHIFT(0)];
}
