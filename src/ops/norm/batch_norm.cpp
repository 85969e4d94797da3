#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/norm/norm.h"
#include "ops/reduce/reduce.h"
#include "platform/cat.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w, access::rw;
constexpr KernelDef parts_kernel{
    .name = "batch_parts", .access = accesses({r, w}), .bindings = 2, .cpu = norm_cpu::batch_parts, .covers = 1};
constexpr KernelDef batch_statistics_kernel{
    .name = "batch_statistics", .access = accesses({r, w}), .bindings = 2, .cpu = norm_cpu::batch_statistics};
constexpr KernelDef running_kernel{
    .name = "running_statistics", .access = accesses({r, r, w}), .bindings = 3, .cpu = norm_cpu::running_statistics};
constexpr KernelDef update_kernel{
    .name = "update_running", .access = accesses({rw, rw, r}), .bindings = 3, .cpu = norm_cpu::update_running};
constexpr KernelDef batch_norm_kernel{
    .name = "batch_norm", .access = accesses({r, r, r, r, w}), .bindings = 5, .cpu = norm_cpu::batch_norm};
constexpr KernelDef batch_sums_kernel{
    .name = "batch_norm_parts", .access = accesses({r, r, r, w}), .bindings = 4, .cpu = norm_cpu::batch_norm_parts, .covers = 1};
constexpr KernelDef batch_grad_kernel{
    .name = "batch_norm_grad", .access = accesses({r, r, r, r, r, w}), .bindings = 6, .cpu = norm_cpu::batch_norm_grad};

Extent per_channel(const BatchNormParams& p) { return {p.channels, 1, 1}; }
Extent per_part(const BatchNormParams& p) { return {p.parts * ((p.channels + p.width - 1) / p.width), 1, 1}; }
std::size_t bytes_of_parts(const BatchNormParams& p) { return std::size_t{2} * p.parts * p.channels * sizeof(float); }

// A GPU's workgroup has 64 lanes. Neighbours should read neighbours: positions, or channels where those have one each.
void cut(BatchNormParams& p) {
  constexpr std::uint32_t lanes = 64, usual = 256, longest = 16384;  // positions of a lane
  p.width = p.inner == 1 ? std::min(lanes, std::bit_ceil(std::max(p.channels, 1U))) : 1U;
  const std::uint32_t positions = p.batch * p.inner, depth = lanes / p.width;
  p.per_part = std::min(std::max(usual * depth, positions / 256 + 1), longest * depth);
  p.parts = std::max(1U, positions / p.per_part + (positions % p.per_part != 0 ? 1U : 0U));
}

void statistics_rule(const OpCall& call, Node& out) {
  out.become("batch_norm", {3, static_cast<std::int64_t>(call.attrs.as<BatchNormParams>().channels)}, DType::f32);
}
void like_first(const OpCall& call, Node& out) { out.become_like(*call.in[0]); }

// The steps of a batch_norm are operations without gradients of their own, under its name. What they get is checked below.
constexpr OpDef batch_statistics{
    .name = "batch_norm", .rule = statistics_rule, .run = [](const OpCall& call, Stream& stream, Node& out) {
      const auto p = call.attrs.as<BatchNormParams>();
      const Storage parts = stream.take(bytes_of_parts(p), MemoryTag::scratch, "batch_norm");
      stream.launch(parts_kernel, {read(*call.in[0]), scratch(parts, bytes_of_parts(p), Access::write)}, p, per_part(p));
      stream.launch(batch_statistics_kernel, {scratch(parts, bytes_of_parts(p), Access::read), write(out)}, p, per_channel(p));
    }};
constexpr OpDef running_statistics{.name = "batch_norm", .rule = statistics_rule, .run = [](const OpCall& call, Stream& stream, Node& out) {
                                     const auto p = call.attrs.as<BatchNormParams>();
                                     stream.launch(running_kernel, {read(*call.in[0]), read(*call.in[1]), write(out)}, p, per_channel(p));
                                   }};
constexpr OpDef gradient_sums{
    .name = "batch_norm",
    .rule =
        [](const OpCall& call, Node& out) {
          out.become("batch_norm", {2, call.in[0]->shape[1]}, DType::f32);
        },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          const auto p = call.attrs.as<BatchNormParams>();
          const Storage parts = stream.take(bytes_of_parts(p), MemoryTag::scratch, "batch_norm");
          stream.launch(batch_sums_kernel,
                        {read(*call.in[0]), read(*call.in[1]), read(*call.in[2]), scratch(parts, bytes_of_parts(p), Access::write)}, p,
                        per_part(p));
          const ReduceParams sum{
              .shifts = {}, .outer = 1, .middle = p.parts, .inner = 2 * p.channels, .parts = 1, .per_part = longest_part};
          launch_sum(stream, "batch_norm", scratch(parts, bytes_of_parts(p), Access::read), write(out), sum);
        }};
constexpr OpDef gradient_of_x{.name = "batch_norm", .rule = like_first, .run = [](const OpCall& call, Stream& stream, Node& out) {
                                const auto in = call.in;
                                stream.launch(batch_grad_kernel,
                                              {read(*in[0]), read(*in[1]), read(*in[2]), read(*in[3]), read(*in[4]), write(out)},
                                              call.attrs.as<BatchNormParams>(), per_element(out));
                              }};

Tensors batch_norm_gradient(const Grad& g) {
  const auto p = g.attrs<BatchNormParams>();
  const Tensor x = g.in(0), gamma = g.in(1), statistics = g.in(3);
  Tensor sums = statistics;  // in the place of sums that nobody reads
  if (g.needs(1) || g.needs(2) || p.training) sums = apply(gradient_sums, {&x, &g.dout, &statistics}, p);
  Tensors gradients(4);
  if (g.needs(0)) gradients[0] = apply(gradient_of_x, {&x, &g.dout, &gamma, &statistics, &sums}, p);
  for (std::size_t i = 1; i <= 2; ++i)
    if (g.needs(i)) gradients[i] = sums.slice(static_cast<std::int64_t>(i - 1), static_cast<std::int64_t>(i)).reshape(g.shape(i));
  return gradients;
}

}  // namespace

namespace ops {
namespace {
constexpr OpDef batch_norm{.name = "batch_norm",
                           .rule = like_first,
                           .run =
                               [](const OpCall& call, Stream& stream, Node& out) {
                                 const auto in = call.in;
                                 stream.launch(batch_norm_kernel, {read(*in[0]), read(*in[1]), read(*in[2]), read(*in[3]), write(out)},
                                               call.attrs.as<BatchNormParams>(), per_element(out));
                               },
                           .gradient = batch_norm_gradient};
}  // namespace
}  // namespace ops

void register_batch_norm(Operations& all) { all.push_back(&ops::batch_norm); }

namespace {

BatchNormParams checked(const Tensor& x, const BatchNormOptions& options,
                        std::initializer_list<std::pair<const char*, const Tensor*>> per_channel_tensors) {
  const Node& in = usable("batch_norm", x);
  if (in.dtype != DType::f32) throw DTypeError("batch_norm", cat("got x of type ", in.dtype, "; wanted f32"));
  if (in.shape.rank() != 2 && in.shape.rank() != 4)
    throw ShapeError("batch_norm", cat("got x of shape ", in.shape, "; wanted [n, c] or [n, c, h, w]"));
  const std::int64_t channels = in.shape[1];
  for (const auto& [name, tensor] : per_channel_tensors) {
    const Node& node = usable("batch_norm", *tensor);
    if (node.dtype != DType::f32) throw DTypeError("batch_norm", cat("got ", name, " of type ", node.dtype, "; wanted f32"));
    if (!(node.shape == Shape{channels}))
      throw ShapeError("batch_norm",
                       cat("got ", name, " of shape ", node.shape, " for x of shape ", in.shape, "; wanted ", Shape{channels}));
  }
  if (!(options.eps >= 0 && std::isfinite(options.eps)))
    throw ArgumentError("batch_norm", cat("eps is ", options.eps, "; wanted 0 or more"));
  if (!(options.momentum >= 0 && options.momentum <= 1))
    throw ArgumentError("batch_norm", cat("momentum is ", options.momentum, "; wanted 0 to 1"));
  if (options.training && channels > 0 && in.numel == channels)
    throw ShapeError("batch_norm", cat("got x of shape ", in.shape, ": training needs more than one value in each channel"));
  BatchNormParams p{.shifts = {},
                    .batch = static_cast<std::uint32_t>(in.shape[0]),
                    .channels = static_cast<std::uint32_t>(channels),
                    .inner = static_cast<std::uint32_t>(product(in.shape, 2, in.shape.rank())),
                    .eps = static_cast<float>(options.eps),
                    .momentum = static_cast<float>(options.momentum),
                    .training = options.training ? 1U : 0U,
                    .parts = 1,
                    .per_part = 1,
                    .width = 1};
  cut(p);
  return p;
}

}  // namespace

Tensor batch_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormOptions& options) {
  const BatchNormParams p =
      checked(x, options, {{"gamma", &gamma}, {"beta", &beta}, {"running_mean", &running_mean}, {"running_var", &running_var}});
  const bool of_batch = options.training && x.numel() > 0;
  const Tensor statistics = of_batch ? apply(batch_statistics, {&x}, p) : apply(running_statistics, {&running_mean, &running_var}, p);
  Tensor y = apply(ops::batch_norm, {&x, &gamma, &beta, &statistics}, p);
  if (of_batch)  // last: an error before this leaves the running statistics as they were
    apply_in_place(
        "batch_norm", {&running_mean, &running_var, &statistics}, 2, nullptr,
        [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
          const auto params = attrs.as<BatchNormParams>();
          stream.launch(update_kernel, {update(*nodes[0]), update(*nodes[1]), read(*nodes[2])}, params, per_channel(params));
        },
        Attrs(p));
  return y;
}

}  // namespace tidepool::inline v0
