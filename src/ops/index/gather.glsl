// GatherParams in index.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint count, rank, step, limit, code;
  uint size[8];
  uint stride[8];
  uint outer, middle, inner, begin, end;
} p;

bool in_range(int number) { return uint(number) < p.limit; }

// Where the element of x stands that element i of the index names, without the number itself.
uint place_in_x(uint i) {
  uint at = 0;
  for (int axis = int(p.rank) - 1; axis >= 0; --axis) {
    at += i % p.size[axis] * p.stride[axis];
    i /= p.size[axis];
  }
  return at;
}
