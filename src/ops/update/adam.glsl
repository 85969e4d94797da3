// One step of Adam for one weight.
layout(push_constant) uniform P {
  uint shifts[2];
  uint count;
  float beta1, beta2, rest1, rest2, eps, weight_decay;
  uint decoupled;
  float step_size, correction2;
} p;
layout(binding = 0) buffer W { float w[]; };
layout(binding = 1) readonly buffer G { float g[]; };
layout(binding = 2) buffer M { float m[]; };
layout(binding = 3) buffer V { float v[]; };

void adam(uint i, float step_size, float correction2, float lr) {
  const float weight = w[i + SHIFT(0)];
  const float gradient = g[i + SHIFT(1)] + (p.decoupled != 0 ? 0.0 : p.weight_decay * weight);
  const float mean = p.beta1 * m[i + SHIFT(2)] + p.rest1 * gradient;
  const float square = p.beta2 * v[i + SHIFT(3)] + p.rest2 * gradient * gradient;
  const float kept = p.decoupled != 0 ? weight - lr * p.weight_decay * weight : weight;
  m[i + SHIFT(2)] = mean;
  v[i + SHIFT(3)] = square;
  w[i + SHIFT(0)] = kept - step_size * mean / (sqrt(square) * correction2 + p.eps);
}
