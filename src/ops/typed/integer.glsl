// The words of integer.def, and its functions.
uint wrap(int x) { return uint(x); }
float number(int x) { return float(x); }
uint bits_of(int x) { return uint(x); }
uint bits_of(float x) { return floatBitsToUint(x); }

#define INTEGER_UNARY(name, to, f) \
  to name##_of(int x) { return to(f); }
#define INTEGER_BINARY(name, to, f) \
  to name##_of(int x, int y) { return to(f); }
#include "ops/typed/integer.def"
