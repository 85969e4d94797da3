// Activation in ops.h; gelu never comes here.
float activated(float x, uint activation) {
  switch (activation) {
    case 1: return x > 0.0 || x != x ? x : 0.0;
    case 2: return 1.0 / (1.0 + exp(-x));
    case 3: return tanh(x);
    default: return x;
  }
}
