#include "ops/reduce/reduce.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/elementwise/elementwise.h"
#include "ops/reduce/axes.h"
#include "platform/cat.h"

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;

// Of rows, or of parts of a single one.
std::uint32_t stretch_of(const std::byte* params) {
  const auto& p = *reinterpret_cast<const ReduceParams*>(params);
  return p.inner != 1 ? 0 : p.parts == 1 ? p.middle : p.outer == 1 ? p.per_part : 0;
}
void cut_stretches(std::byte* params, std::uint32_t elements) {
  auto& p = *reinterpret_cast<ReduceParams*>(params);
  if (p.parts == 1) {
    p.outer = elements / p.middle;
  } else {
    p.middle = elements;
    p.parts = (elements + p.per_part - 1) / p.per_part;
  }
}
constexpr StretchKernel stretches{.length = stretch_of, .cut = cut_stretches};
constexpr KernelDef sum_kernel{.name = "sum",
                               .access = accesses({r, w}),
                               .bindings = 2,
                               .cpu = reduce_cpu::sum,
                               .stretches = &stretches,
                               .stages = reduce_cpu::sum_stages};
constexpr KernelDef sum_i32_kernel{.name = "sum_i32", .access = accesses({r, w}), .bindings = 2, .cpu = reduce_cpu::sum_i32};

void launch_sum(Stream& stream, const KernelDef& kernel, const char* operation, const Operand& in, const Operand& out,
                const ReduceParams& p) {
  in_parts(stream, operation, in, out, p, [&](const Operand& from, const Operand& to, const ReduceParams& stage, bool) {
    stream.launch(kernel, {from, to}, stage, per_result(stage));
  });
}

// The axes of the group stay as size 1 (without keepdim there is a reshape above).
void sum_rule(const OpCall& call, Node& out) {
  const Node& in = *call.in[0];
  require_one_of("sum", in.dtype, {DType::f32, DType::i32});
  out.become("sum", with_ones(in.shape, bits_of(call.attrs.as<AxisGroup>())), in.dtype);
}

void sum_run(const OpCall& call, Stream& stream, Node& out) {
  const auto [first, last] = call.attrs.as<AxisGroup>();
  const Node& in = *call.in[0];
  launch_sum(stream, in.dtype == DType::f32 ? sum_kernel : sum_i32_kernel, "sum", read(in), write(out), cut_at(in.shape, first, last));
}

}  // namespace

void launch_sum(Stream& stream, const char* operation, const Operand& in, const Operand& out, const ReduceParams& p) {
  launch_sum(stream, sum_kernel, operation, in, out, p);
}

namespace ops {
namespace {
constexpr OpDef sum{
    .name = "sum",
    .rule = sum_rule,
    .run = sum_run,
    .gradient = [](const Grad& g) -> Tensors { return {broadcast_to(g.dout, g.shape(0))}; },
    .saves = Saves::nothing,
};
}  // namespace
}  // namespace ops

void register_reduce(Operations& all) {
  all.push_back(&ops::sum);
  register_extrema(all);
  register_moments(all);
}

Tensor sum_keeping(const Tensor& a, unsigned axis_bits) {
  Tensor result = a;
  for_each_group(axis_bits, a.shape().rank(), [&](AxisGroup group) { result = apply(ops::sum, {&result}, group); });
  return result;
}

namespace {

Tensor sum_over(const Tensor& a, const Axes& axes) { return finished(sum_keeping(a, axes.bits), a.shape(), axes); }

Tensor mean_over(const Tensor& a, const Axes& axes) {
  require_one_of("mean", a.dtype(), {DType::f32});
  checked_numel("mean", without(a.shape(), axes.bits));  // before the sum finds out, under its own name
  return sum_over(a, axes) / static_cast<float>(axes.elements(a.shape()));
}

}  // namespace

TIDEPOOL_REDUCTION(sum, sum_over)
TIDEPOOL_REDUCTION(mean, mean_over)

Tensor sum_to(const Tensor& gradient, const Shape& shape) {
  const Shape& own = gradient.shape();
  if (own == shape) return gradient;
  if (gradient.dtype() == DType::f16) return sum_to(gradient.to(DType::f32), shape).to(DType::f16);  // which holds, and does not add
  unsigned bits = 0;
  for (std::int64_t i = 1; i <= own.rank(); ++i)
    if (i > shape.rank() || (shape[-i] == 1 && own[-i] != 1)) bits |= 1U << (own.rank() - i);
  return sum_keeping(gradient, bits).reshape(shape);
}

}  // namespace tidepool::inline v0
