#include "ops/pool/pool.glsl"

layout(binding = 0) readonly buffer X { float x[]; };

// Where in its plane the largest of a window stands: the first of several; of NaNs the last, as PyTorch has it.
uint largest_at(uint plane, uint oy, uint ox) {
  const uvec2 rows = rows_seen(oy), columns = columns_seen(ox);
  const uint begin = plane * p.h * p.w + SHIFT(0);
  uint best = rows.x * p.w + columns.x;
  float value = uintBitsToFloat(0xff800000u);
  for (uint row = rows.x; row < rows.y; ++row)
    for (uint column = columns.x; column < columns.y; ++column) {
      const float here = x[begin + row * p.w + column];
      if (here > value || here != here) {
        value = here;
        best = row * p.w + column;
      }
    }
  return best;
}
