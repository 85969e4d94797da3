// Logits and labels of cross entropy: exp(x - largest) / sum is what softmax says.
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Labels { int labels[]; };

float largest_of_row(uint at) {
  float largest = x[at];
  for (uint i = 1; i < p.classes; ++i) largest = max(largest, x[at + i]);
  return largest;
}
float sum_of_row(uint at, float largest) {
  float sum = 0.0;
  for (uint i = 0; i < p.classes; ++i) sum += exp(x[at + i] - largest);
  return sum;
}
