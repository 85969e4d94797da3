// StridedParams in layout.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint count, rank, in_offset, out_offset;
  uint size[8];
  uint in_stride[8];
  uint out_stride[8];
  uint run;
} p;

// Where element `rest` of the first axes goes from and to.
uvec2 ends_of(uint rest, uint axes) {
  uvec2 ends = uvec2(p.in_offset + SHIFT(0), p.out_offset + SHIFT(1));
  for (int axis = int(axes) - 1; axis >= 0; --axis) {
    const uint at = rest % p.size[axis];
    rest /= p.size[axis];
    ends += at * uvec2(p.in_stride[axis], p.out_stride[axis]);
  }
  return ends;
}
