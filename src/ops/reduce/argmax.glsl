// The file that includes this says TYPE.
#include "ops/reduce/middle.glsl"
layout(binding = 0) readonly buffer In { TYPE x[]; };
layout(binding = 1) writeonly buffer Out { int y[]; };
#include "ops/reduce/largest_at.glsl"

void main() {
  const uint line = my_line();
  if (!has_line(line)) return;
  const uint place = largest_at(line_begin(line) + SHIFT(0), p.middle, p.inner);
  if (i_write()) y[line + SHIFT(1)] = int(place);
}
