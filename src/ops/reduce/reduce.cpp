#include "ops/reduce/reduce.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/elementwise/elementwise.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

constexpr KernelDef sum_kernel{.name = "sum", .access = accesses({Access::read, Access::write}), .bindings = 2, .cpu = sum_cpu};

// Axes [first, last) are summed; they stay as size 1 (keepdim is a reshape above).
struct ReduceAttrs {
  std::int64_t first, last;
};

constexpr std::uint32_t longest_part = 1024;

std::int64_t product(const Shape& shape, std::int64_t first, std::int64_t last) {
  return Shape(std::span(shape.begin() + first, shape.begin() + last)).numel();
}

void launch_sum(Stream& stream, const Operand& in, const Operand& out, ReduceParams p) {
  stream.launch(sum_kernel, {in, out}, p, {p.outer * p.parts * p.inner, 1, 1});
}

// Cuts the middle until one part is left. What lies between stands in scratch memory.
void sum_run(const OpCall& call, Stream& stream, Node& out) {
  const auto [first, last] = call.attrs.as<ReduceAttrs>();
  const Node& in = *call.in[0];
  ReduceParams p{.shifts = {},
                 .outer = static_cast<std::uint32_t>(product(in.shape, 0, first)),
                 .middle = static_cast<std::uint32_t>(product(in.shape, first, last)),
                 .inner = static_cast<std::uint32_t>(product(in.shape, last, in.shape.rank())),
                 .parts = 1,
                 .per_part = longest_part};
  Operand from = read(in);
  Storage held;
  while (p.middle > longest_part) {
    p.parts = (p.middle + longest_part - 1) / longest_part;
    const std::size_t bytes = std::size_t{p.outer} * p.parts * p.inner * sizeof(float);
    Storage partial = stream.take(bytes, MemoryTag::scratch, "sum");
    launch_sum(stream, from, scratch(partial, bytes, Access::write), p);
    from = scratch(partial, bytes, Access::read);
    held = std::move(partial);
    p.middle = p.parts;
  }
  p.parts = 1;
  launch_sum(stream, from, write(out), p);
}

void sum_rule(const OpCall& call, Node& out) {
  require_dtype(call, DType::f32);
  const auto [first, last] = call.attrs.as<ReduceAttrs>();
  const Shape& shape = call.in[0]->shape;
  std::array<std::int64_t, Shape::max_rank> sizes{};
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis)
    sizes[static_cast<std::size_t>(axis)] = axis >= first && axis < last ? 1 : shape[axis];
  out.become("sum", Shape(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(shape.rank()))), DType::f32);
}

// The axes as a set of bits; all of them when none are named.
unsigned axis_bits(const char* operation, const Shape& shape, std::span<const std::int64_t> axes) {
  unsigned bits = 0;
  for (const std::int64_t axis : axes) {
    const unsigned bit = 1U << normal_axis(operation, axis, std::max<std::int64_t>(1, shape.rank()));  // a single number has an axis 0 here
    if (bits & bit) throw ShapeError(operation, cat("axis ", axis, " is named twice"));
    bits |= bit;
  }
  return axes.empty() ? (1U << shape.rank()) - 1 : bits;
}

Shape without(const Shape& shape, unsigned bits) {
  std::array<std::int64_t, Shape::max_rank> sizes{};
  std::size_t rank = 0;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis)
    if (!(bits >> axis & 1U)) sizes[rank++] = shape[axis];
  return Shape(std::span<const std::int64_t>(sizes.data(), rank));
}

}  // namespace

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

void register_reduce(Operations& all) { all.push_back(&ops::sum); }

namespace {

// Neighbouring axes are summed together, groups of them one after the other, innermost first.
Tensor sum_over(const Tensor& a, unsigned bits, bool keepdim) {
  const Shape shape = a.shape();
  const std::int64_t rank = shape.rank();
  Tensor result = a;
  for (std::int64_t last = rank; last > 0;) {
    if (!(bits >> (last - 1) & 1U)) {
      --last;
      continue;
    }
    std::int64_t first = last - 1;
    while (first > 0 && (bits >> (first - 1) & 1U)) --first;
    result = apply(ops::sum, {&result}, ReduceAttrs{first, last});
    last = first;
  }
  if (rank == 0) result = apply(ops::sum, {&result}, ReduceAttrs{0, 0});
  return keepdim || bits == 0 || rank == 0 ? result : result.reshape(without(shape, bits));
}

Tensor mean_over(const Tensor& a, unsigned bits, bool keepdim) {
  double count = 1;
  for (std::int64_t axis = 0; axis < a.shape().rank(); ++axis)
    if (bits >> axis & 1U) count *= static_cast<double>(a.shape()[axis]);
  checked_numel("mean", without(a.shape(), bits));  // before the sum finds out, under its own name
  return sum_over(a, bits, keepdim) / static_cast<float>(count);
}

const Shape& shape_for(const char* operation, const Tensor& a) {
  const Node& node = usable(operation, a);
  if (node.dtype != DType::f32) throw DTypeError(operation, cat("got a tensor of type ", node.dtype, "; wanted f32"));
  return node.shape;
}

}  // namespace

Tensor sum(const Tensor& a) { return sum_over(a, axis_bits("sum", shape_for("sum", a), {}), false); }
Tensor sum(const Tensor& a, std::int64_t axis, bool keepdim) {
  return sum_over(a, axis_bits("sum", shape_for("sum", a), std::span(&axis, 1)), keepdim);
}
Tensor sum(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim) {
  return sum_over(a, axis_bits("sum", shape_for("sum", a), std::span(axes.begin(), axes.size())), keepdim);
}
Tensor mean(const Tensor& a) { return mean_over(a, axis_bits("mean", shape_for("mean", a), {}), false); }
Tensor mean(const Tensor& a, std::int64_t axis, bool keepdim) {
  return mean_over(a, axis_bits("mean", shape_for("mean", a), std::span(&axis, 1)), keepdim);
}
Tensor mean(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim) {
  return mean_over(a, axis_bits("mean", shape_for("mean", a), std::span(axes.begin(), axes.size())), keepdim);
}

Tensor sum_to(const Tensor& gradient, const Shape& shape) {
  const Shape& own = gradient.shape();
  if (own == shape) return gradient;
  unsigned bits = 0;
  for (std::int64_t i = 1; i <= own.rank(); ++i)
    if (i > shape.rank() || (shape[-i] == 1 && own[-i] != 1)) bits |= 1U << (own.rank() - i);
  return sum_over(gradient, bits, true).reshape(shape);
}

}  // namespace tidepool::inline v0
