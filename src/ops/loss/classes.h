// What operations on classes share with their raw twins.
#pragma once

#include "core/op.h"
#include "ops/loss/loss.h"

namespace tidepool::inline v0 {

// logits f32 [n, classes], labels i32 [n]
void check_classes(const char* operation, const Node& logits, const Node& labels);
// Whether there are more classes than this device's kernels can go over, in logits and labels as above.
bool has_long_rows(const char* operation, const Tensor& logits, const Tensor& labels);
// Two i32 tensors of one shape.
void check_pairs(const char* operation, const Node& predictions, const Node& labels);
ClassParams class_params(const char* operation, const Node& logits);

// out = scale * (softmax(logits) - one-hot(labels)), times d where there is one.
void launch_cross_entropy_grad(Stream& stream, const Node& logits, const Node& labels, const Node* d, float scale, const Node& out);
extern const KernelDef more_confusion_kernel;  // adds to what is there
void launch_confusion(Stream& stream, const KernelDef& kernel, const Node& predictions, const Node& labels, const Operand& counts,
                      std::int64_t classes);

}  // namespace tidepool::inline v0
