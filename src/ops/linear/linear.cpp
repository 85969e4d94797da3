#include "ops/linear/linear.h"

#include <tidepool/error.h>

#include "ops/matmul/gpu_product.h"
#include "ops/matmul/matmul.h"
#include "ops/reduce/reduce.h"
#include "platform/cat.h"

#include <cstddef>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;
constexpr KernelDef linear_kernel{.name = "linear", .access = accesses({r, r, w}), .bindings = 3, .cpu = linear_cpu};
constexpr KernelDef linear_bias_kernel{.name = "linear_bias", .access = accesses({r, r, r, w}), .bindings = 4, .cpu = linear_bias_cpu};
constexpr FlatKernel flat_activation{.flat = [](const std::byte*) { return true; }, .count_at = offsetof(ActivationParams, count)};
constexpr KernelDef activation_bwd_kernel{.name = "activation_bwd",
                                          .access = accesses({r, r, w}),
                                          .bindings = 3,
                                          .cpu = activation_bwd_cpu,
                                          .covers = 256,  // a work item of its shader has four elements
                                          .flat = &flat_activation,
                                          .stages = activation_bwd_stages};
constexpr KernelDef column_sum_kernel{.name = "column_sum", .access = accesses({r, w}), .bindings = 2, .cpu = column_sum_cpu};

const Node* bias_of(const OpCall& call) { return call.in.size() == 3 ? call.in[2] : nullptr; }

void linear_rule(const OpCall& call, Node& out) {
  check_linear("linear", *call.in[0], *call.in[1], bias_of(call));
  out.become("linear", {call.in[0]->shape[0], call.in[1]->shape[0]}, DType::f32);
}

void linear_run(const OpCall& call, Stream& stream, Node& out) {
  launch_linear(stream, *call.in[0], *call.in[1], bias_of(call), out, call.attrs.as<Activation>());
}

Tensors linear_gradient(const Grad& g);

constexpr OpDef linear_op(bool activated) {
  return {.name = "linear",
          .rule = linear_rule,
          .run = linear_run,
          .gradient = linear_gradient,
          .saves = activated ? Saves::both : Saves::inputs};
}

}  // namespace

namespace ops {
namespace {

constexpr OpDef linear = linear_op(false), activated_linear = linear_op(true);

// For gradients only.
constexpr OpDef activation_bwd{
    .name = "linear",
    .rule = [](const OpCall& call, Node& out) { out.become_like(*call.in[1]); },
    .run = [](const OpCall& call, Stream& stream,
              Node& out) { launch_activation_bwd(stream, *call.in[0], *call.in[1], write(out), call.attrs.as<Activation>()); },
};
constexpr OpDef column_sum{
    .name = "linear",
    .rule = [](const OpCall& call, Node& out) { out.become("linear", {call.in[0]->shape[1]}, DType::f32); },
    .run = [](const OpCall& call, Stream& stream, Node& out) { launch_column_sum(stream, read(*call.in[0]), call.in[0]->shape, out); },
};

}  // namespace
}  // namespace ops

namespace {

Tensors linear_gradient(const Grad& g) {
  const auto activation = g.attrs<Activation>();
  Tensor dy = g.dout;
  if (activation != Activation::none) {
    const Tensor y = g.out();
    dy = apply(ops::activation_bwd, {&y, &g.dout}, activation);
  }
  Tensors gradients{g.needs(0) ? transposed_product(dy, false, g.in(1), false) : Tensor(),
                    g.needs(1) ? transposed_product(dy, true, g.in(0), false) : Tensor()};
  if (g.inputs() == 3) gradients.push_back(g.needs(2) ? apply(ops::column_sum, {&dy}) : Tensor());
  return gradients;
}

}  // namespace

void check_linear(const char* operation, const Node& x, const Node& w, const Node* b) {
  for (const Node* node : {&x, &w, b})
    if (node && node->dtype != DType::f32) throw DTypeError(operation, cat("got a tensor of type ", node->dtype, "; wanted f32"));
  if (x.shape.rank() != 2 || w.shape.rank() != 2)
    throw ShapeError(operation, cat("got x ", x.shape, " and w ", w.shape, "; wanted x [n, in] and w [out, in]"));
  if (x.shape[1] != w.shape[1])
    throw ShapeError(operation, cat("inner sizes differ: x ", x.shape, " and w ", w.shape, "; wanted x [n, in] and w [out, in]"));
  if (b && !(b->shape == Shape{w.shape[0]})) throw ShapeError(operation, cat("b is ", b->shape, "; wanted ", Shape{w.shape[0]}));
}

void require_gradient_from_output(const char* operation, Activation activation) {
  if (activation == Activation::gelu)
    throw ArgumentError(operation, "the gradient of gelu cannot be had from its output y; keep x and use tp::gelu, or another activation");
}

void launch_linear(Stream& stream, const Node& x, const Node& w, const Node* b, const Node& y, Activation activation) {
  if (!stream.info().immediate) {
    const Operand bias = b ? read(*b) : Operand{};
    const std::uint32_t rows = to_count(x.shape[0]), outputs = to_count(w.shape[0]), inputs = to_count(x.shape[1]);
    return launch_gpu_product(stream, "linear", {.a = read(x), .b = read(w), .c = write(y), .bias = b ? &bias : nullptr},
                              {.shifts = {},
                               .m = rows,
                               .n = outputs,
                               .k = inputs,
                               .parts = 1,
                               .per_part = 0,
                               .a_row = inputs,
                               .a_k = 1,
                               .b_k = 1,
                               .b_column = inputs,
                               .c_row = outputs,
                               .c_column = 1,
                               .c_matrix = 0,
                               .bias = b ? 2U : 0U,
                               .activation = static_cast<std::uint32_t>(activation),
                               .matrices = 1,
                               .size = {1, 1, 1},
                               .a_step = {},
                               .b_step = {}});
  }
  const LinearParams p{.shifts = {},
                       .rows = to_count(x.shape[0]),
                       .outputs = to_count(w.shape[0]),
                       .inputs = to_count(x.shape[1]),
                       .activation = activation};
  const Extent extent{to_count(y.numel), 1, 1};
  if (b)
    stream.launch(linear_bias_kernel, {read(x), read(w), read(*b), write(y)}, p, extent);
  else
    stream.launch(linear_kernel, {read(x), read(w), write(y)}, p, extent);
}

void launch_activation_bwd(Stream& stream, const Node& y, const Node& dy, const Operand& dx, Activation activation) {
  const ActivationParams p{.shifts = {}, .count = to_count(dy.numel), .activation = activation};
  stream.launch(activation_bwd_kernel, {read(y), read(dy), dx}, p, {p.count, 1, 1});
}

void launch_column_sum(Stream& stream, const Operand& from, const Shape& shape, const Node& sums) {
  if (!stream.info().immediate) return launch_sum(stream, "linear", from, write(sums), cut_at(shape, 0, 1));
  const ColumnParams p{.shifts = {}, .rows = to_count(shape[0]), .columns = to_count(shape[1])};
  stream.launch(column_sum_kernel, {from, write(sums)}, p, {p.columns, 1, 1});
}

void register_linear(Operations& all) { all.push_back(&ops::linear); }

// Gelu's gradient needs what went into it, so it stands by itself.
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b, Activation activation) {
  if (activation == Activation::gelu) return gelu(linear(x, w, b));
  const OpDef& op = activation == Activation::none ? ops::linear : ops::activated_linear;
  return b.defined() ? apply(op, {&x, &w, &b}, activation) : apply(op, {&x, &w}, activation);
}

}  // namespace tidepool::inline v0
