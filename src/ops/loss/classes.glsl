// Rows of logits and their labels. ClassParams in loss.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint rows, classes, code, with_d;
  float scale;
} p;

bool is_class(int label) { return label >= 0 && uint(label) < p.classes; }
