// Losses without gradients: outputs come last and are written into.
#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/raw.h>

#include "core/checks.h"
#include "ops/index/index.h"
#include "ops/loss/classes.h"
#include "ops/reduce/reduce.h"
#include "platform/cat.h"

#include <cmath>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w, access::rw;
constexpr KernelDef difference_kernel{.name = "difference", .access = accesses({r, r, w}), .bindings = 3, .cpu = loss_cpu::difference};
constexpr LineKernels cross_entropy_grad_kernels = line_kernels("cross_entropy_grad", {r, r, r, w, rw}, loss_cpu::cross_entropy_grad);

void require_like(const char* operation, const Node& out, const Node& in) {
  if (out.dtype != in.dtype) throw DTypeError(operation, cat("got an output of type ", out.dtype, "; wanted ", in.dtype));
  if (!(out.shape == in.shape)) throw ShapeError(operation, cat("got an output of shape ", out.shape, "; wanted ", in.shape));
}

struct ScaleAttrs {
  float scale;
};
Attrs checked_scale(const char* operation, double scale) {
  if (!std::isfinite(scale)) throw ArgumentError(operation, cat("scale is ", scale, "; wanted a finite number"));
  return Attrs(ScaleAttrs{static_cast<float>(scale)});
}

}  // namespace

void launch_cross_entropy_grad(Stream& stream, const Node& logits, const Node& labels, const Node* d, float scale, const Node& out) {
  ClassParams p = class_params("cross_entropy", logits);
  p.with_d = d ? 1 : 0;
  p.scale = scale;
  stream.launch(cross_entropy_grad_kernels.of(p.classes),
                {read(logits), read(labels), read(d ? *d : logits), write(out), stream.complaints()}, p, {p.rows, 1, 1});
}

constinit const KernelDef more_confusion_kernel{
    .name = "update_confusion_matrix", .access = accesses({r, r, rw, rw}), .bindings = 4, .cpu = loss_cpu::more_confusion};

void launch_confusion(Stream& stream, const KernelDef& kernel, const Node& predictions, const Node& labels, const Operand& counts,
                      std::int64_t classes) {
  const ClassParams p{.shifts = {},
                      .rows = static_cast<std::uint32_t>(labels.numel),
                      .classes = static_cast<std::uint32_t>(classes),
                      .code = complaint_code("confusion_matrix"),
                      .with_d = 0,
                      .scale = 1};
  stream.launch(kernel, {read(predictions), read(labels), counts, stream.complaints()}, p, {p.rows, 1, 1});
}

namespace raw {

void mse_grad(const Tensor& pred, const Tensor& target, double scale, const Tensor& dpred) {
  const Attrs attrs = checked_scale("mse_grad", scale);
  const NoGrad guard;
  apply_in_place(
      "mse_grad", {&dpred, &pred, &target}, 1,
      [](std::span<Node* const> nodes) {
        for (const Node* node : nodes) require_type("mse_grad", "a tensor", *node, DType::f32);
        if (!(nodes[1]->shape == nodes[2]->shape))
          throw ShapeError("mse_grad", cat("shapes differ: pred is ", nodes[1]->shape, " and target ", nodes[2]->shape));
        require_like("mse_grad", *nodes[0], *nodes[1]);
        require_apart("mse_grad", "dpred", *nodes[0], {nodes[1], nodes[2]});
      },
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& given) {
        const LossParams p{.shifts = {}, .count = static_cast<std::uint32_t>(nodes[0]->numel), .scale = given.as<ScaleAttrs>().scale};
        stream.launch(difference_kernel, {read(*nodes[1]), read(*nodes[2]), write(*nodes[0])}, p, {p.count, 1, 1});
      },
      attrs);
}

void cross_entropy_grad(const Tensor& logits, const Tensor& labels, double scale, const Tensor& dlogits) {
  const Attrs attrs = checked_scale("cross_entropy_grad", scale);
  const NoGrad guard;
  const auto check = [](std::span<Node* const> nodes) {
    check_classes("cross_entropy_grad", *nodes[1], *nodes[2]);
    require_like("cross_entropy_grad", *nodes[0], *nodes[1]);
    require_apart("cross_entropy_grad", "dlogits", *nodes[0], {nodes[1], nodes[2]});
  };
  if (has_long_rows("cross_entropy_grad", logits, labels)) {
    Node* const nodes[] = {&usable("cross_entropy_grad", dlogits), logits.node(), labels.node()};
    check(nodes);
    at_labels(LabelsOf::cross_entropy, logits, labels);  // for its complaints
    return copy_(dlogits, (softmax(logits, 1) - one_hot(labels, logits.shape()[1])) * static_cast<float>(scale));
  }
  apply_in_place(
      "cross_entropy_grad", {&dlogits, &logits, &labels}, 1, check,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& given) {
        launch_cross_entropy_grad(stream, *nodes[1], *nodes[2], nullptr, given.as<ScaleAttrs>().scale, *nodes[0]);
      },
      attrs);
}

void update_confusion_matrix(const Tensor& pred, const Tensor& label, const Tensor& cm) {
  const NoGrad guard;
  apply_in_place(
      "update_confusion_matrix", {&cm, &pred, &label}, 1,
      [](std::span<Node* const> nodes) {
        const Node& counts = *nodes[0];
        check_pairs("update_confusion_matrix", *nodes[1], *nodes[2]);
        if (counts.dtype != DType::i32)
          throw DTypeError("update_confusion_matrix", cat("got a matrix of type ", counts.dtype, "; wanted i32"));
        if (counts.shape.rank() != 2 || counts.shape[0] != counts.shape[1])
          throw ShapeError("update_confusion_matrix", cat("got a matrix of shape ", counts.shape, "; wanted [classes, classes]"));
        require_apart("update_confusion_matrix", "cm", *nodes[0], {nodes[1], nodes[2]});
      },
      [](std::span<Node* const> nodes, Stream& stream, const Attrs&) {
        launch_confusion(stream, more_confusion_kernel, *nodes[1], *nodes[2], update(*nodes[0]), nodes[0]->shape[0]);
      },
      Attrs{});
}

}  // namespace raw
}  // namespace tidepool::inline v0
