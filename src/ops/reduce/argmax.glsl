// Where the largest of a column stands: the first of several; NaN is the largest. MiddleParams in reduce.h.
layout(push_constant) uniform P { uint shifts[2]; uint outer, middle, inner; float scale; } p;
layout(binding = 0) readonly buffer In { TYPE x[]; };
layout(binding = 1) writeonly buffer Out { int y[]; };

void main() {
  const uint i = item();
  if (i >= p.outer * p.inner) return;
  const uint begin = i / p.inner * p.middle * p.inner + i % p.inner + SHIFT(0);
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
