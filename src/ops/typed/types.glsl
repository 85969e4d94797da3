// Types as DType has them, and how they become each other. TypedParams in typed.h.
layout(push_constant) uniform P { uint shifts[2]; uint count, from, to, keep; } p;

const uint f32 = 0, f16 = 1, i32 = 2, u8 = 3;

uint bytes_of(uint type) { return type == u8 ? 1u : (type == f16 ? 2u : 4u); }

// By whole numbers, as in core/half.h: what drivers do with NaN and with numbers below the normal ones differs.
float half_to_float(uint bits) {
  const uint sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31u, fraction = bits & 0x3ffu;
  if (exponent == 31) return uintBitsToFloat(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return uintBitsToFloat(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = float(fraction) * 5.9604644775390625e-8;  // exact
  return uintBitsToFloat(floatBitsToUint(small) | sign);
}
uint float_to_half(uint bits) {
  const uint sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) return sign | 0x7e00u | (size >> 13 & 0x3ffu);  // NaN stays one
  if (size >= 0x477ff000u) return sign | 0x7c00u;                         // rounds beyond 65504
  if (size < 0x33000000u) return sign;                                    // less than half of the smallest
  // Below the smallest normal one more bits go.
  const uint exponent = size >> 23, gone = exponent < 113 ? 126 - exponent : 13;
  const uint rest = exponent < 113 ? (size & 0x7fffffu) | 0x800000u : size - 0x38000000u;
  return sign | (rest + (1u << (gone - 1)) - 1 + (rest >> gone & 1u)) >> gone;
}

// What does not fit becomes the nearest that does, and NaN becomes 0.
int whole(float value) {
  if (value != value) return 0;
  if (value >= 2147483648.0) return 2147483647;
  return value <= -2147483648.0 ? int(0x80000000u) : int(value);
}

// One number of type `from`, given its bits, as bits of type `to`.
uint converted(uint bits) {
  float number = 0.0;
  int integer = 0;
  if (p.from == u8 || p.from == i32) {
    integer = int(bits);
    number = float(integer);
  } else {
    number = p.from == f16 ? half_to_float(bits) : uintBitsToFloat(bits);
    integer = whole(number);
  }
  if (p.to == f16) return float_to_half(p.from == f32 ? bits : floatBitsToUint(number));
  if (p.to == f32) return floatBitsToUint(number);
  return p.to == u8 ? uint(integer) & 255u : uint(integer);
}
