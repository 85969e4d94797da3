// RowsParams in index.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint count, width, limit, code;
  uint outer, middle, inner, begin, end;
} p;

bool in_range(int number) { return uint(number) < p.limit; }
