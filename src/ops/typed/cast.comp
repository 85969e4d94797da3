#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

// From any type to f32 and i32. Types of less than four bytes are read as parts of words.
layout(push_constant) uniform P { uint shifts[2]; uint count, from, to, keep; } p;
layout(binding = 0) readonly buffer In { uint x[]; };
layout(binding = 1) writeonly buffer Out { uint y[]; };

const uint f32 = 0, f16 = 1, i32 = 2, u8 = 3;  // as DType has them

// What does not fit becomes the nearest that does, and NaN becomes 0.
int whole(float value) {
  if (value != value) return 0;
  if (value >= 2147483648.0) return 2147483647;
  return value <= -2147483648.0 ? int(0x80000000u) : int(value);
}

void main() {
  const uint i = item();
  if (i >= p.count) return;
  const uint at = i + SHIFT(0);
  float number = 0.0;
  int integer = 0;
  if (p.from == u8) integer = int(x[at / 4] >> (at % 4 * 8) & 255u);
  if (p.from == i32) integer = int(x[at]);
  if (p.from == f16) number = unpackHalf2x16(x[at / 2] >> (at % 2 * 16)).x;
  if (p.from == f32) number = uintBitsToFloat(x[at]);
  const bool is_float = p.from == f32 || p.from == f16;
  y[i + SHIFT(1)] = p.to == f32 ? floatBitsToUint(is_float ? number : float(integer)) : uint(is_float ? whole(number) : integer);
}
