// A step of Adam. A work item takes four weights: as a vector where all lie one after the other, from places that are multiples of four.
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
layout(binding = 0) buffer Ws { vec4 ws[]; };
layout(binding = 1) readonly buffer Gs { vec4 gs[]; };
layout(binding = 2) buffer Ms { vec4 ms[]; };
layout(binding = 3) buffer Vs { vec4 vs[]; };

#define ADAM(T, w, g, m, v, at, step_size, correction2, lr)                                   \
  {                                                                                           \
    const T weight = w[at(0)];                                                                \
    const T gradient = g[at(1)] + (p.decoupled != 0 ? T(0.0) : p.weight_decay * weight);      \
    const T mean = p.beta1 * m[at(2)] + p.rest1 * gradient;                                   \
    const T square = p.beta2 * v[at(3)] + p.rest2 * gradient * gradient;                      \
    const T kept = p.decoupled != 0 ? weight - lr * p.weight_decay * weight : weight;         \
    m[at(2)] = mean;                                                                          \
    v[at(3)] = square;                                                                        \
    w[at(0)] = kept - step_size * mean / (sqrt(square) * correction2 + p.eps);                \
  }
#define OF_ONE(binding) i + SHIFT(binding)
#define OF_FOUR(binding) (i + SHIFT(binding)) / 4

void adam(float step_size, float correction2, float lr) {
  uint i = 4 * item();
  if (IN_FOURS(i))
    ADAM(vec4, ws, gs, ms, vs, OF_FOUR, step_size, correction2, lr)
  else
    for (const uint end = min(i + 4, p.count); i < end; ++i) ADAM(float, w, g, m, v, OF_ONE, step_size, correction2, lr)
}
