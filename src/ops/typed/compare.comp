#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/elementwise/elementwise.glsl"
#define OUT 2
#include "ops/typed/narrow.glsl"

#if defined(F32)
#define TYPE float
#else
#define TYPE int
#endif
#define COMPARE(name, f) \
  bool name##_holds(TYPE x, TYPE y) { return f; }
#include "ops/typed/compare.def"

#if defined(U8)
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) readonly buffer Y { uint y[]; };
#define VALUE(buffer_of, at) int(ELEMENT(buffer_of, 1, at))
#else
layout(binding = 0) readonly buffer X { TYPE x[]; };
layout(binding = 1) readonly buffer Y { TYPE y[]; };
#define VALUE(buffer_of, at) buffer_of[at]
#endif

uint element(uint i) {
  const uvec2 at = places(i);
  return PASTE(OP, _holds)(VALUE(x, at.x + SHIFT(0)), VALUE(y, at.y + SHIFT(1))) ? 1u : 0u;
}

void main() { write_word(1, SHIFT(OUT), p.count, item()); }
