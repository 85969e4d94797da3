// The losses of loss.def.
#include "ops/loss/loss.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/reduce/reduce.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;

void loss_rule(const OpCall& call, Node& out) {
  require_dtype(call, DType::f32);
  const Shape &pred = call.in[0]->shape, &target = call.in[1]->shape;
  if (!(pred == target))
    throw ShapeError(call.op.name, cat("shapes differ: pred is ", pred, " and target ", target,
                                       "; wanted the same, for example target.reshape(pred.shape())"));
  out.become(call.op.name, {}, DType::f32);
}

// At most 1024 parts, so that two launches are enough for most sizes; and none longer than loops may be.
void loss_run(const OpCall& call, Stream& stream, Node& out) {
  const auto count = static_cast<std::uint32_t>(call.in[0]->numel);
  constexpr std::uint32_t longest = 1U << 17;
  const ReduceParams p{.shifts = {},
                       .outer = 1,
                       .middle = count,
                       .inner = 1,
                       .parts = 1,
                       .per_part = std::clamp(count / longest_part + 1, longest_part, longest)};
  fold_in_parts(stream, call.op.name, read(*call.in[0]), write(out), p, static_cast<float>(count), false,
                [&](const Operand& from, const Operand& to, const FoldParams& params) {
                  stream.launch(*call.op.kernel, {from, read(*call.in[1]), to}, params, per_result(params.cut()));
                });
}

// p, t and d in.
void gradient_rule(const OpCall& call, Node& out) { out.become_like(*call.in[0]); }
void gradient_run(const OpCall& call, Stream& stream, Node& out) {
  const LossParams params{.shifts = {}, .count = static_cast<std::uint32_t>(out.numel), .scale = 1.0F / static_cast<float>(out.numel)};
  stream.launch(*call.op.kernel, {read(*call.in[0]), read(*call.in[1]), read(*call.in[2]), write(out)}, params, {params.count, 1, 1});
}

Tensors loss_gradient(const Grad& g) {
  const Tensor p = g.in(0), t = g.in(1);
  Tensors gradients(2);
  for (std::size_t i = 0; i < 2; ++i)
    if (g.needs(i)) {
      const OpDef backward{.name = g.op().name, .rule = gradient_rule, .run = gradient_run, .kernel = g.op().gradient_kernels[i]};
      gradients[i] = apply(backward, {&p, &t, &g.dout});
    }
  return gradients;
}

}  // namespace

namespace ops {
namespace {

constexpr KernelDef gradient_kernel(const char* name, void (*cpu)(const CpuCall&)) {
  return {.name = name, .access = accesses({r, r, r, w}), .bindings = 4, .cpu = cpu};
}
#define LOSS(op, f, dp, dt)                                                                                        \
  constexpr KernelDef op##_kernel{.name = #op, .access = accesses({r, r, w}), .bindings = 3, .cpu = loss_cpu::op}; \
  constexpr KernelDef op##_grad_p_kernel = gradient_kernel(#op "_grad_p", loss_cpu::op##_grad_p);                  \
  constexpr KernelDef op##_grad_t_kernel = gradient_kernel(#op "_grad_t", loss_cpu::op##_grad_t);                  \
  constexpr OpDef op{.name = #op,                                                                                  \
                     .rule = loss_rule,                                                                            \
                     .run = loss_run,                                                                              \
                     .gradient = loss_gradient,                                                                    \
                     .kernel = &op##_kernel,                                                                       \
                     .gradient_kernels = {&op##_grad_p_kernel, &op##_grad_t_kernel}};
#include "ops/loss/loss.def"

}  // namespace
}  // namespace ops

void register_loss(Operations& all) {
#define LOSS(op, f, dp, dt) all.push_back(&ops::op);
#include "ops/loss/loss.def"
  register_classes(all);
}

#define LOSS(op, f, dp, dt) \
  Tensor op(const Tensor& pred, const Tensor& target) { return apply(ops::op, {&pred, &target}); }
#include "ops/loss/loss.def"

}  // namespace tidepool::inline v0
