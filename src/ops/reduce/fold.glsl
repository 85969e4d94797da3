// A sum over a part of the middle, in a fixed order, and what is done to it at the end. FoldParams in reduce.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint outer, middle, inner, parts, per_part;
  float divisor;
  uint root;
} p;

float value(uint at, uint line);  // element `at`; `line` is its place among those that stay along the middle

float folded(uint i) {
  const uint inner = i % p.inner, part = i / p.inner % p.parts, outer = i / p.inner / p.parts;
  const uint begin = part * p.per_part, end = min(begin + p.per_part, p.middle), line = outer * p.inner + inner;
  uint at = (outer * p.middle + begin) * p.inner + inner;
  // Four sums side by side: shorter chains of additions, and smaller errors.
  vec4 sums = vec4(0.0);
  uint m = begin;
  for (; m + 4 <= end; m += 4, at += 4 * p.inner)
    sums += vec4(value(at, line), value(at + p.inner, line), value(at + 2 * p.inner, line), value(at + 3 * p.inner, line));
  float sum = (sums.x + sums.y) + (sums.z + sums.w);
  for (; m < end; ++m, at += p.inner) sum += value(at, line);
  return p.root != 0 ? sqrt(sum) : sum / p.divisor;
}
bool has_fold(uint i) { return i < p.outer * p.parts * p.inner; }
