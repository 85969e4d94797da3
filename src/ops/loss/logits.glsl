// Logits and labels of cross entropy: exp(x - largest) / sum is what softmax says.
#include "ops/together.glsl"
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Labels { int labels[]; };

float largest_of_row(uint at) {
  float largest = x[at];
  for (uint i = my_first(); i < p.classes; i += my_step()) largest = max(largest, x[at + i]);
  return largest_of_line(largest);
}
float sum_of_row(uint at, float largest) {
  float sum = 0.0;
  for (uint i = my_first(); i < p.classes; i += my_step()) sum += exp(x[at + i] - largest);
  return sum_of_line(sum);
}
