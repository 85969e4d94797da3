// The first place in a part of the middle where x is y, or the middle's end where there is none. The file that includes this says TYPE.
layout(push_constant) uniform P { uint shifts[2]; uint outer, middle, inner, parts, per_part; } p;
layout(binding = 0) readonly buffer In { TYPE x[]; };
layout(binding = 1) readonly buffer Y { TYPE y[]; };
layout(binding = 2) writeonly buffer Out { int places[]; };

void main() {
  const uint i = item();
  if (i >= p.outer * p.parts * p.inner) return;
  const uint inner = i % p.inner, part = i / p.inner % p.parts, outer = i / p.inner / p.parts;
  const uint begin = part * p.per_part, end = min(begin + p.per_part, p.middle);
  const TYPE wanted = y[outer * p.inner + inner + SHIFT(1)];
  uint place = p.middle;
  for (uint m = begin; m < end && place == p.middle; ++m) {
    const TYPE value = x[(outer * p.middle + m) * p.inner + inner + SHIFT(0)];
    if (value == wanted || (value != value && wanted != wanted)) place = m;  // NaN is NaN here
  }
  places[i + SHIFT(2)] = int(place);
}
