// What a tap of a window sees in x: 0 in the padding.
layout(binding = 1) readonly buffer X { float xs[]; };

float seen(Place at, Column column) {
  const bool inside = uint(at.y + column.y) < p.h && uint(at.x + column.x) < p.w;
  const float value = xs[inside ? uint(at.at + column.at) + SHIFT(1) : SHIFT(1)];
  return inside ? value : 0.0;
}
