#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/norm/norm.h"
#include "ops/reduce/reduce.h"
#include "platform/cat.h"

#include <algorithm>
#include <cmath>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;
constexpr KernelDef layer_norm_kernel{
    .name = "layer_norm", .access = accesses({r, r, r, w}), .bindings = 4, .cpu = norm_cpu::layer_norm, .covers = 1};
constexpr KernelDef layer_statistics_kernel{
    .name = "row_statistics", .access = accesses({r, w}), .bindings = 2, .cpu = norm_cpu::row_statistics, .covers = 1};
constexpr KernelDef layer_grad_kernel{
    .name = "layer_norm_grad", .access = accesses({r, r, r, r, w}), .bindings = 5, .cpu = norm_cpu::layer_norm_grad, .covers = 1};
constexpr KernelDef layer_sums_kernel{
    .name = "layer_norm_sums", .access = accesses({r, r, r, w}), .bindings = 4, .cpu = norm_cpu::layer_norm_sums};

Extent per_row(const LayerNormParams& p) { return {p.rows, 1, 1}; }

void layer_norm_rule(const OpCall& call, Node& out) {
  require_dtype(call, DType::f32);
  const Shape& x = call.in[0]->shape;
  if (x.rank() == 0) throw ShapeError("layer_norm", "got x of shape []; wanted at least one axis");
  for (std::size_t i = 1; i <= 2; ++i)
    if (!(call.in[i]->shape == Shape{x[-1]}))
      throw ShapeError("layer_norm", cat("got ", i == 1 ? "gamma" : "beta", " of shape ", call.in[i]->shape, " for x of shape ", x,
                                         "; wanted ", Shape{x[-1]}));
  out.become_like(*call.in[0]);
}

// Parts of rows, each summed on its own, then the parts.
void sums_run(const OpCall& call, Stream& stream, Node& out) {
  const auto p = call.attrs.as<LayerNormParams>();
  const std::size_t bytes = out.bytes() * p.parts;
  const Storage partial = stream.take(bytes, MemoryTag::scratch, "layer_norm");
  stream.launch(layer_sums_kernel, {read(*call.in[0]), read(*call.in[1]), read(*call.in[2]), scratch(partial, bytes, Access::write)}, p,
                {p.parts * p.size, 1, 1});
  const ReduceParams sum{.shifts = {}, .outer = 1, .middle = p.parts, .inner = 2 * p.size, .parts = 1, .per_part = longest_part};
  launch_sum(stream, "layer_norm", scratch(partial, bytes, Access::read), write(out), sum);
}

constexpr OpDef row_statistics{.name = "layer_norm",
                               .rule =
                                   [](const OpCall& call, Node& out) {
                                     out.become("layer_norm", {2, std::int64_t{call.attrs.as<LayerNormParams>().rows}}, DType::f32);
                                   },
                               .run =
                                   [](const OpCall& call, Stream& stream, Node& out) {
                                     const auto p = call.attrs.as<LayerNormParams>();
                                     stream.launch(layer_statistics_kernel, {read(*call.in[0]), write(out)}, p, per_row(p));
                                   }};
constexpr OpDef layer_gradient_of_x{
    .name = "layer_norm",
    .rule = [](const OpCall& call, Node& out) { out.become_like(*call.in[0]); },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          const auto p = call.attrs.as<LayerNormParams>();
          const auto in = call.in;
          stream.launch(layer_grad_kernel, {read(*in[0]), read(*in[1]), read(*in[2]), read(*in[3]), write(out)}, p, per_row(p));
        }};
constexpr OpDef layer_gradient_sums{.name = "layer_norm",
                                    .rule =
                                        [](const OpCall& call, Node& out) {
                                          out.become("layer_norm", {2, call.in[0]->shape[-1]}, DType::f32);
                                        },
                                    .run = sums_run};

Tensors layer_norm_gradient(const Grad& g) {
  const auto p = g.attrs<LayerNormParams>();
  const Tensor x = g.in(0), gamma = g.in(1);
  const Tensor statistics = apply(row_statistics, {&x}, p);
  Tensors gradients(3);
  if (g.needs(0)) gradients[0] = apply(layer_gradient_of_x, {&x, &g.dout, &gamma, &statistics}, p);
  if (g.needs(1) || g.needs(2)) {
    const Tensor sums = apply(layer_gradient_sums, {&x, &g.dout, &statistics}, p);
    gradients[1] = sums.slice(0, 1).reshape(g.shape(1));
    gradients[2] = sums.slice(1, 2).reshape(g.shape(2));
  }
  return gradients;
}

}  // namespace

namespace ops {
namespace {
constexpr OpDef layer_norm{.name = "layer_norm",
                           .rule = layer_norm_rule,
                           .run =
                               [](const OpCall& call, Stream& stream, Node& out) {
                                 const auto p = call.attrs.as<LayerNormParams>();
                                 const auto in = call.in;
                                 stream.launch(layer_norm_kernel, {read(*in[0]), read(*in[1]), read(*in[2]), write(out)}, p, per_row(p));
                               },
                           .gradient = layer_norm_gradient};
}  // namespace
}  // namespace ops

void register_layer_norm(Operations& all) { all.push_back(&ops::layer_norm); }
void register_norm(Operations& all) {
  register_batch_norm(all);
  register_layer_norm(all);
}

namespace {

constexpr std::uint32_t longest_row = 1U << 20;  // that one workgroup takes: some drivers cut loops short (docs/decisions)

// The definition itself, whose sums are made in parts.
Tensor by_definition(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps) {
  const Tensor deviation = x - mean(x, {-1}, true);
  return deviation / sqrt(mean(square(deviation), {-1}, true) + static_cast<float>(eps)) * gamma + beta;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps) {
  if (!(eps >= 0 && std::isfinite(eps))) throw ArgumentError("layer_norm", cat("eps is ", eps, "; wanted 0 or more"));
  const Shape& shape = usable("layer_norm", x).shape;
  LayerNormParams p{.shifts = {}, .rows = 1, .size = 1, .parts = 1, .per_part = 1, .eps = static_cast<float>(eps)};
  if (shape.rank() > 0) {
    p.rows = static_cast<std::uint32_t>(product(shape, 0, shape.rank() - 1));
    p.size = static_cast<std::uint32_t>(shape[-1]);
    p.per_part = std::clamp(p.rows / 256 + 1, 64U, 16384U);
    p.parts = std::max(1U, (p.rows + p.per_part - 1) / p.per_part);
  }
  if (p.size > longest_row && gamma.shape() == Shape{p.size} && beta.shape() == Shape{p.size}) return by_definition(x, gamma, beta, eps);
  return apply(ops::layer_norm, {&x, &gamma, &beta}, p);
}

}  // namespace tidepool::inline v0
