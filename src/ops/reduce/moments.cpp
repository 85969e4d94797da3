// var and norm.
#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/reduce/axes.h"
#include "ops/reduce/reduce.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;
constexpr KernelDef fold_sum_kernel{.name = "fold_sum", .access = accesses({r, w}), .bindings = 2, .cpu = reduce_cpu::fold_sum};
constexpr KernelDef squares_kernel{.name = "fold_squares", .access = accesses({r, w}), .bindings = 2, .cpu = reduce_cpu::fold_squares};
constexpr KernelDef deviations_kernel{
    .name = "fold_deviations", .access = accesses({r, r, w}), .bindings = 3, .cpu = reduce_cpu::fold_deviations};
constexpr KernelDef var_grad_kernel{.name = "var_grad", .access = accesses({r, r, r, w}), .bindings = 4, .cpu = reduce_cpu::var_grad};
constexpr KernelDef norm_grad_kernel{.name = "norm_grad", .access = accesses({r, r, r, w}), .bindings = 4, .cpu = reduce_cpu::norm_grad};

void moment_rule(const OpCall& call, Node& out) {
  require_dtype(call, DType::f32);
  out.become(call.op.name, with_ones(call.in[0]->shape, bits_of(call.attrs.as<AxisGroup>())), DType::f32);
}

float one_less(std::uint32_t count) { return static_cast<float>(std::max(count, 1U) - 1); }  // 0 for nothing: 0 / 0 is NaN

// The mean first, then the squares of what differs from it: two passes, and no cancellation.
void var_run(const OpCall& call, Stream& stream, Node& out) {
  const auto [first, last] = call.attrs.as<AxisGroup>();
  const Node& in = *call.in[0];
  const ReduceParams p = cut_at(in.shape, first, last);
  const Storage means = stream.take(out.bytes(), MemoryTag::scratch, "var");
  const auto launch = [&stream](const Operand& from, const Operand& to, const FoldParams& params) {
    launch_fold_sum(stream, from, to, params);
  };
  fold_in_parts(stream, "var", read(in), scratch(means, out.bytes(), Access::write), p, static_cast<float>(p.middle), false, launch);
  fold_in_parts(stream, "var", read(in), write(out), p, one_less(p.middle), false,
                [&](const Operand& from, const Operand& to, const FoldParams& params) {
                  stream.launch(deviations_kernel, {from, scratch(means, out.bytes(), Access::read), to}, params, per_result(params.cut()));
                });
}

void norm_run(const OpCall& call, Stream& stream, Node& out) {
  const auto [first, last] = call.attrs.as<AxisGroup>();
  const Node& in = *call.in[0];
  fold_in_parts(stream, "norm", read(in), write(out), cut_at(in.shape, first, last), 1.0F, true,
                [&](const Operand& from, const Operand& to, const FoldParams& params) {
                  stream.launch(squares_kernel, {from, to}, params, per_result(params.cut()));
                });
}

// Gradients are operations of three inputs: x, and two that stay along the middle.
void gradient_rule(const OpCall& call, Node& out) { out.become_like(*call.in[0]); }
void gradient_run(const OpCall& call, Stream& stream, Node& out) {
  stream.launch(*call.op.kernel, {read(*call.in[0]), read(*call.in[1]), read(*call.in[2]), write(out)}, call.attrs.as<MiddleParams>(),
                {static_cast<std::uint32_t>(out.numel), 1, 1});
}
constexpr OpDef var_grad{.name = "var_grad", .rule = gradient_rule, .run = gradient_run, .kernel = &var_grad_kernel};
constexpr OpDef norm_grad{.name = "norm_grad", .rule = gradient_rule, .run = gradient_run, .kernel = &norm_grad_kernel};

Tensors var_gradient(const Grad& g) {
  const auto group = g.attrs<AxisGroup>();
  const Tensor x = g.in(0);
  MiddleParams p = middle_of(x.shape(), group.first, group.last);
  p.scale = 2.0F / one_less(p.middle);
  const Tensor mean = sum_keeping(x, bits_of(group)) / static_cast<float>(p.middle);
  return {apply(var_grad, {&x, &mean, &g.dout}, p)};
}

Tensors norm_gradient(const Grad& g) {
  const auto [first, last] = g.attrs<AxisGroup>();
  const Tensor x = g.in(0), y = g.out();
  return {apply(norm_grad, {&x, &y, &g.dout}, middle_of(x.shape(), first, last))};
}

}  // namespace

void launch_fold_sum(Stream& stream, const Operand& from, const Operand& to, const FoldParams& params) {
  stream.launch(fold_sum_kernel, {from, to}, params, per_result(params.cut()));
}

namespace ops {
namespace {
constexpr OpDef var{.name = "var", .rule = moment_rule, .run = var_run, .gradient = var_gradient};
constexpr OpDef norm{.name = "norm", .rule = moment_rule, .run = norm_run, .gradient = norm_gradient, .saves = Saves::both};
}  // namespace
}  // namespace ops

void register_moments(Operations& all) {
  all.push_back(&ops::var);
  all.push_back(&ops::norm);
}

namespace {

// Axes that are no neighbours are brought together by the definition itself.
Tensor var_over(const Tensor& a, const Axes& axes) {
  const Shape shape = a.shape();
  require_one_of("var", a.dtype(), {DType::f32});
  checked_numel("var", without(shape, axes.bits));
  Tensor result;
  if (is_one_group(axes.bits, shape.rank())) {
    for_each_group(axes.bits, shape.rank(), [&](AxisGroup group) { result = apply(ops::var, {&a}, group); });
  } else {
    const double count = axes.elements(shape);
    const Tensor deviation = a - sum_keeping(a, axes.bits) / static_cast<float>(count);
    result = sum_keeping(square(deviation), axes.bits) / static_cast<float>(std::max(count - 1, 0.0));
  }
  return finished(result, shape, axes);
}

// The norm of norms is the norm.
Tensor norm_over(const Tensor& a, const Axes& axes) {
  const Shape shape = a.shape();
  Tensor result = a;
  for_each_group(axes.bits, shape.rank(), [&](AxisGroup group) { result = apply(ops::norm, {&result}, group); });
  return finished(result, shape, axes);
}

}  // namespace

TIDEPOOL_REDUCTION(var, var_over)
TIDEPOOL_REDUCTION(norm, norm_over)

}  // namespace tidepool::inline v0
