// The words of the .def tables that GLSL lacks, or has with errors of its own. Shaders that are made at run time begin with them too (device/chain_text.h),
// so there is nothing here that depends on a shader; and all of it is `precise`, so that an expression has the same bits in every shader.
#include "ops/math.glsl"

float select(bool condition, float a, float b) { return condition ? a : b; }
float log1p(float x) {
  precise float u = 1.0 + x;
  precise float value = u == 1.0 ? x : (u > 3.0e38 ? log(u) : log(u) * x / (u - 1.0));
  return value;
}
// Abramowitz and Stegun 7.1.26, as in simd-inl.h.
float erf(float a) {
  const float x = abs(a);
  precise float t = 1.0 / (1.0 + 0.3275911 * x);
  precise float sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  precise float y = 1.0 - sum * exp(-(x * x));
  return a < 0.0 ? -y : y;
}
