// cross_entropy, accuracy and confusion_matrix. Labels are checked on the device.
#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/index/index.h"
#include "ops/layout/layout.h"
#include "ops/loss/classes.h"
#include "ops/loss/loss.h"
#include "ops/reduce/reduce.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w, access::rw;
constexpr LineKernels cross_entropy_kernels = line_kernels("cross_entropy", {r, r, w, rw}, loss_cpu::cross_entropy);
constexpr LineKernels hits_kernels = line_kernels("hits", {r, r, w, rw}, loss_cpu::hits);
constexpr KernelDef confusion_kernel{
    .name = "confusion_matrix", .access = accesses({r, r, w, rw}), .bindings = 4, .cpu = loss_cpu::confusion};

void classes_rule(const OpCall& call, Node& out) {
  check_classes(call.op.name, *call.in[0], *call.in[1]);
  out.become(call.op.name, {}, DType::f32);
}

// A number for each row, then their mean in one stretch: there are far fewer rows than logits.
void mean_of_rows(const LineKernels& kernels, const OpCall& call, Stream& stream, Node& out) {
  const Node& logits = *call.in[0];
  const ClassParams p = class_params(call.op.name, logits);
  const std::size_t bytes = std::max<std::size_t>(1, p.rows) * sizeof(float);
  const Storage values = stream.take(bytes, MemoryTag::scratch, call.op.name);
  if (p.rows > 0)
    stream.launch(kernels.of(p.classes), {read(logits), read(*call.in[1]), scratch(values, bytes, Access::write), stream.complaints()}, p,
                  {p.rows, 1, 1});
  const ReduceParams rows{.shifts = {}, .outer = 1, .middle = p.rows, .inner = 1, .parts = 1, .per_part = 65536};
  fold_in_parts(stream, call.op.name, scratch(values, bytes, Access::read), write(out), rows, static_cast<float>(p.rows), false,
                [&](const Operand& from, const Operand& to, const FoldParams& params) { launch_fold_sum(stream, from, to, params); });
}

constexpr OpDef cross_entropy_grad{.name = "cross_entropy",
                                   .rule = [](const OpCall& call, Node& out) { out.become_like(*call.in[0]); },
                                   .run =
                                       [](const OpCall& call, Stream& stream, Node& out) {
                                         launch_cross_entropy_grad(stream, *call.in[0], *call.in[1], call.in[2],
                                                                   1.0F / static_cast<float>(out.shape[0]), out);
                                       }};

struct ClassesAttrs {
  std::int64_t classes;
};

void confusion_rule(const OpCall& call, Node& out) {
  check_pairs("confusion_matrix", *call.in[0], *call.in[1]);
  const std::int64_t classes = call.attrs.as<ClassesAttrs>().classes;
  if (classes < 1) throw ArgumentError("confusion_matrix", cat("classes is ", classes, "; wanted 1 or more"));
  out.become("confusion_matrix", {classes, classes}, DType::i32);
}

}  // namespace

void check_classes(const char* operation, const Node& logits, const Node& labels) {
  if (logits.dtype != DType::f32) throw DTypeError(operation, cat("got logits of type ", logits.dtype, "; wanted f32"));
  if (labels.dtype != DType::i32)
    throw DTypeError(operation, cat("got labels of type ", labels.dtype, "; wanted i32; convert them with to(DType::i32)"));
  const Shape& shape = logits.shape;
  if (shape.rank() != 2 || shape[1] == 0) throw ShapeError(operation, cat("got logits of shape ", shape, "; wanted [n, classes]"));
  if (!(labels.shape == Shape{shape[0]}))
    throw ShapeError(operation, cat("got labels of shape ", labels.shape, " for logits of shape ", shape, "; wanted ", Shape{shape[0]}));
}

void check_pairs(const char* operation, const Node& predictions, const Node& labels) {
  for (const Node* node : {&predictions, &labels})
    if (node->dtype != DType::i32) throw DTypeError(operation, cat("got a tensor of type ", node->dtype, "; wanted i32"));
  if (!(predictions.shape == labels.shape))
    throw ShapeError(operation, cat("shapes differ: predictions are ", predictions.shape, " and labels ", labels.shape));
}

ClassParams class_params(const char* operation, const Node& logits) {
  return {.shifts = {},
          .rows = static_cast<std::uint32_t>(logits.shape[0]),
          .classes = static_cast<std::uint32_t>(logits.shape[1]),
          .code = complaint_code(operation),
          .with_d = 0,
          .scale = 1};
}

namespace ops {
namespace {

constexpr OpDef cross_entropy{
    .name = "cross_entropy",
    .rule = classes_rule,
    .run = [](const OpCall& call, Stream& stream, Node& out) { mean_of_rows(cross_entropy_kernels, call, stream, out); },
    .gradient = [](const Grad& g) -> Tensors {
      const Tensor logits = g.in(0), labels = g.in(1);
      return {apply(cross_entropy_grad, {&logits, &labels, &g.dout})};
    }};
constexpr OpDef accuracy{.name = "accuracy", .rule = classes_rule, .run = [](const OpCall& call, Stream& stream, Node& out) {
                           mean_of_rows(hits_kernels, call, stream, out);
                         }};
constexpr OpDef confusion_matrix{
    .name = "confusion_matrix", .rule = confusion_rule, .run = [](const OpCall& call, Stream& stream, Node& out) {
      if (stream.info().immediate) return launch_confusion(stream, confusion_kernel, *call.in[0], *call.in[1], write(out), out.shape[0]);
      launch_fill(stream, out, 0);
      launch_confusion(stream, more_confusion_kernel, *call.in[0], *call.in[1], update(out), out.shape[0]);
    }};

}  // namespace
}  // namespace ops

void register_classes(Operations& all) {
  all.push_back(&ops::cross_entropy);
  all.push_back(&ops::accuracy);
  all.push_back(&ops::confusion_matrix);
}

bool has_long_rows(const char* operation, const Tensor& logits, const Tensor& labels) {
  const Node& node = usable(operation, logits);
  if (node.shape.rank() != 2 || !is_too_long(node, node.shape[1])) return false;
  check_classes(operation, node, usable(operation, labels));
  return true;
}

Tensor cross_entropy(const Tensor& logits, const Tensor& labels) {
  if (has_long_rows("cross_entropy", logits, labels)) return -mean(at_labels(LabelsOf::cross_entropy, log_softmax(logits, 1), labels));
  return apply(ops::cross_entropy, {&logits, &labels});
}
Tensor accuracy(const Tensor& logits, const Tensor& labels) {
  if (has_long_rows("accuracy", logits, labels)) {
    at_labels(LabelsOf::accuracy, logits.detach(), labels);  // for its complaints
    return mean(eq(argmax(logits, 1), labels).to(DType::f32));
  }
  return apply(ops::accuracy, {&logits, &labels});
}
Tensor confusion_matrix(const Tensor& pred, const Tensor& label, std::int64_t classes) {
  return apply(ops::confusion_matrix, {&pred, &label}, ClassesAttrs{classes});
}

}  // namespace tidepool::inline v0
