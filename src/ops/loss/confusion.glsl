// One work item goes over the rows: they are the samples of a batch, and counts need no order then.
#include "ops/loss/classes.glsl"

layout(binding = 0) readonly buffer Predictions { int predictions[]; };
layout(binding = 1) readonly buffer Labels { int labels[]; };
layout(binding = 2) buffer Counts { int counts[]; };
COMPLAINTS(3);

void count_rows() {
  for (uint row = 0; row < p.rows; ++row) {
    const int label = labels[row + SHIFT(1)], prediction = predictions[row + SHIFT(0)];
    if (!is_class(label))
      COMPLAIN(p.code, label, int(p.classes))
    else if (!is_class(prediction))
      COMPLAIN(p.code, prediction, int(p.classes))
    else
      counts[uint(label) * p.classes + uint(prediction) + SHIFT(2)] += 1;
  }
}
