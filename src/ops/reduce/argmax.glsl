// Where the largest of a line stands: the first of several; NaN is the largest.
#include "ops/reduce/middle.glsl"
layout(binding = 0) readonly buffer In { TYPE x[]; };
layout(binding = 1) writeonly buffer Out { int y[]; };

void main() {
  const uint i = item();
  if (!has_line(i)) return;
  const uint begin = line_begin(i) + SHIFT(0);
  TYPE best = x[begin];
  int at = 0;
  for (uint m = 1; m < p.middle; ++m) {
    const TYPE value = x[begin + m * p.inner];
    if (best == best && !(best >= value)) {
      best = value;
      at = int(m);
    }
  }
  y[i + SHIFT(1)] = at;
}
