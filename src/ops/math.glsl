// Functions that GLSL has too, but that drivers compute with errors of their own; from here on these are meant. They are made of exact steps (`precise`:
// nothing is contracted or moved), so that every device is as good as the CPU, and a value is the same whatever else a shader does.
#define infinity uintBitsToFloat(0x7f800000u)
#define not_a_number uintBitsToFloat(0x7fc00000u)
const float ln2_high = 0.693145751953125, ln2_low = 1.42860677e-6;  // the first times a whole number up to 512 is exact

bool is_positive_finite(float x) { return floatBitsToUint(x) - 1u < 0x7f7fffffu; }

// x = (1 + f) 2^exponent with 1 + f from 2/3 to 4/3, for x as above.
struct NumberParts {
  float f, exponent;
};
NumberParts parts_of(float x) {
  uint bits = floatBitsToUint(x);
  int exponent = 0;
  if (bits < 0x00800000u) {  // a denormal number
    exponent = findMSB(bits) - 23;
    bits <<= -exponent;
  }
  const uint above = bits - 0x3f2aaaabu;
  exponent += int(above) >> 23;
  precise float f = uintBitsToFloat((above & 0x007fffffu) + 0x3f2aaaabu) - 1.0;
  return NumberParts(f, float(exponent));
}

float own_log(float x) {
  if (!is_positive_finite(x)) return x == 0.0 ? -infinity : (x > 0.0 ? x : not_a_number);
  const NumberParts parts = parts_of(x);
  // log(1 + f) = 2 atanh(s), of which 2 s = f - s f
  precise float s = parts.f / (2.0 + parts.f);
  precise float z = s * s;
  precise float rest = z * (0.66666667 + z * (0.4 + z * (0.28571429 + z * 0.22222222)));
  precise float low = s * (parts.f - rest) - parts.exponent * ln2_low;
  low = parts.f - low;
  precise float sum = parts.exponent * ln2_high + low;
  return sum;
}

// Bits of 2 / pi, 96 from bit `at` on; bit 32 is the first after the point.
uvec3 two_over_pi(uint at) {
  const uint bits[8] = uint[](0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu);
  const uint i = at / 32, up = at % 32;
  if (up == 0) return uvec3(bits[i], bits[i + 1], bits[i + 2]);
  return uvec3(bits[i] << up | bits[i + 1] >> (32 - up), bits[i + 1] << up | bits[i + 2] >> (32 - up),
               bits[i + 2] << up | bits[i + 3] >> (32 - up));
}

// x = quadrant pi / 2 + rest, with the rest from -pi / 4 to pi / 4, for a finite x >= 0.5: multiples of 2 pi are left out of
// the product of whole numbers, so any x is as good as a small one.
struct Angle {
  uint quadrant;
  float rest;
};
Angle angle_of(float x) {
  const uint bits = floatBitsToUint(x), mantissa = (bits & 0x007fffffu) | 0x00800000u;
  const uvec3 factor = two_over_pi((bits >> 23) - 120u);
  uint high_1, low_1, high_2, low_2, carry;
  umulExtended(mantissa, factor.y, high_1, low_1);
  umulExtended(mantissa, factor.z, high_2, low_2);
  const uint second = uaddCarry(low_1, high_2, carry), first = mantissa * factor.x + high_1 + carry;
  // Two bits of quadrant, and a fraction of 64.
  uint quadrant = first >> 30, high = first << 2 | second >> 30, low = second << 2 | low_2 >> 30;
  const bool above = high >= 0x80000000u;  // one half: nearer to the next
  if (above) {
    high = ~high;
    low = ~low;
  }
  precise float fraction = float(high) * 2.3283064365386963e-10 + float(low) * 5.421010862427522e-20;
  precise float rest = (above ? -fraction : fraction) * 1.5707963267948966;
  return Angle(quadrant + (above ? 1u : 0u), rest);
}

float sin_near_zero(float x) {
  precise float z = x * x;
  precise float value = x + x * z * (-0.16666667 + z * (8.3333333e-3 + z * (-1.9841270e-4 + z * 2.7557319e-6)));
  return value;
}
float cos_near_zero(float x) {
  precise float z = x * x;
  precise float value = 1.0 - z * (0.5 - z * (4.1666667e-2 - z * (1.3888889e-3 - z * (2.4801587e-5 - z * 2.7557319e-7))));
  return value;
}
float sin_of(float size, uint quadrants) {  // of size >= 0, plus so many quadrants
  Angle angle = Angle(0u, size);
  if (size >= 0.5) angle = angle_of(size);
  const uint quadrant = (angle.quadrant + quadrants) & 3u;
  const float value = (quadrant & 1u) != 0 ? cos_near_zero(angle.rest) : sin_near_zero(angle.rest);
  return quadrant >= 2 ? -value : value;
}
bool is_finite(float x) { return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u; }
float own_sin(float x) {
  if (!is_finite(x)) return not_a_number;
  return x < 0.0 ? -sin_of(-x, 0u) : (x == 0.0 ? x : sin_of(x, 0u));
}
float own_cos(float x) { return is_finite(x) ? sin_of(abs(x), 1u) : not_a_number; }

// Sums and products of two numbers without any error: the result, and what it lacks.
vec2 exact_sum(float a, float b) {
  precise float sum = a + b;
  precise float of_b = sum - a;
  precise float lacks = (a - (sum - of_b)) + (b - of_b);
  return vec2(sum, lacks);
}
vec2 exact_product(float a, float b) {
  const float a_high = uintBitsToFloat(floatBitsToUint(a) & 0xfffff000u), b_high = uintBitsToFloat(floatBitsToUint(b) & 0xfffff000u);
  precise float product = a * b;
  precise float a_low = a - a_high;
  precise float b_low = b - b_high;
  precise float lacks = a_high * b_high - product;
  lacks = lacks + a_high * b_low;
  lacks = lacks + a_low * b_high;
  lacks = lacks + a_low * b_low;
  return vec2(product, lacks);
}

// a to the b, for a as is_positive_finite says: exp(b log(a)), with a logarithm of two numbers, since b makes its error larger.
float power_of_size(float a, float b) {
  const NumberParts parts = parts_of(a);
  const vec2 below = exact_sum(2.0, parts.f);
  precise float s = parts.f / below.x;
  const vec2 back = exact_product(s, below.x);
  precise float missing = ((parts.f - back.x) - back.y) - s * below.y;
  precise float z = s * s;
  precise float third = z * s * (0.66666667 + z * (0.4 + z * (0.28571429 + z * (0.22222222 + z * 0.18181818))));
  const vec2 main_part = exact_sum(parts.exponent * ln2_high, 2.0 * s);
  precise float small = main_part.y + (2.0 * missing / below.x + third + parts.exponent * ln2_low);
  const vec2 logarithm = exact_sum(main_part.x, small);
  precise float about = b * logarithm.x;
  if (about > 90.0) return infinity;
  if (about < -105.0) return 0.0;
  if (about == 0.0) return 1.0;
  const vec2 product = exact_product(b, logarithm.x);
  precise float whole = floor(product.x * 1.44269504 + 0.5);
  precise float rest = product.x - whole * ln2_high;
  rest = rest + (product.y + b * logarithm.y - whole * ln2_low);
  precise float value = rest * rest * (0.5 + rest * (0.16666667 + rest * (4.1666667e-2 + rest * (8.3333333e-3 + rest * (1.3888889e-3 + rest * 1.9841270e-4)))));
  value = 1.0 + (rest + value);
  const int half_way = int(whole) / 2;  // 2^whole may be too large or too small for one number
  value = value * uintBitsToFloat(uint(half_way + 127) << 23) * uintBitsToFloat(uint(int(whole) - half_way + 127) << 23);
  return value;
}

// As C's pow.
float power(float a, float b) {
  precise float squared = a * a;
  if (b == 2.0) return squared;
  if (b == 0.0 || a == 1.0) return 1.0;
  if (a != a || b != b) return not_a_number;
  const bool whole = b == floor(b), odd = whole && !isinf(b) && mod(b, 2.0) == 1.0;
  const float size = abs(a);
  float value = size == 1.0 ? 1.0 : ((size > 1.0) == (b > 0.0) ? infinity : 0.0);  // of what is not finite
  if (is_positive_finite(size) && !isinf(b)) {
    if (a < 0.0 && !whole) return not_a_number;
    value = power_of_size(size, b);
  }
  return odd && floatBitsToUint(a) >> 31 != 0 ? -value : value;
}

// Some drivers make it of exponentials, whose quotient is NaN where they are infinite. From 9.02 on it is 1.
float own_tanh(float x) {
  precise float value = tanh(clamp(x, -15.0, 15.0));
  return x != x ? x : value;
}

#define log(x) own_log(x)
#define sin(x) own_sin(x)
#define cos(x) own_cos(x)
#define tanh(x) own_tanh(x)
