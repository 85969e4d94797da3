// The largest or the smallest of a part of the middle; NaN where there is one. The file that includes this says TYPE, and
// BETTER(value, best).
layout(push_constant) uniform P { uint shifts[2]; uint outer, middle, inner, parts, per_part; } p;
layout(binding = 0) readonly buffer In { TYPE x[]; };
layout(binding = 1) writeonly buffer Out { TYPE y[]; };

void main() {
  const uint i = item();
  if (i >= p.outer * p.parts * p.inner) return;
  const uint inner = i % p.inner, part = i / p.inner % p.parts, outer = i / p.inner / p.parts;
  const uint begin = part * p.per_part, end = min(begin + p.per_part, p.middle);
  uint at = (outer * p.middle + begin) * p.inner + inner + SHIFT(0);
  TYPE best = x[at];
  for (uint m = begin + 1; m < end; ++m) {
    at += p.inner;
    const TYPE value = x[at];
    if (best == best && (BETTER(value, best) || value != value)) best = value;
  }
  y[i + SHIFT(1)] = best;
}
