// max, min and argmax. NaN counts as the largest and as the smallest: where there is one, it is the result.
#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/reduce/axes.h"
#include "ops/reduce/reduce.h"
#include "platform/cat.h"

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;

constexpr KernelDef fold_kernel(const char* name, void (*cpu)(const CpuCall&)) {
  return {.name = name, .access = accesses({r, w}), .bindings = 2, .cpu = cpu};
}
constexpr KernelDef max_kernel = fold_kernel("max", reduce_cpu::max), max_i32_kernel = fold_kernel("max_i32", reduce_cpu::max_i32);
constexpr KernelDef min_kernel = fold_kernel("min", reduce_cpu::min), min_i32_kernel = fold_kernel("min_i32", reduce_cpu::min_i32);
constexpr LineKernels argmax_kernels = line_kernels("argmax", {r, w}, reduce_cpu::argmax),
                      argmax_i32_kernels = line_kernels("argmax_i32", {r, w}, reduce_cpu::argmax_i32);
constexpr KernelDef all_ties_kernel{.name = "all_ties", .access = accesses({r, r, r, w}), .bindings = 4, .cpu = reduce_cpu::all_ties};
constexpr LineKernels first_tie_kernels = line_kernels("first_tie", {r, r, r, w}, reduce_cpu::first_tie);
// For shaders.
constexpr KernelDef first_place_kernel{.name = "first_place", .access = accesses({r, r, w}), .bindings = 3};
constexpr KernelDef first_place_i32_kernel{.name = "first_place_i32", .access = accesses({r, r, w}), .bindings = 3};
constexpr KernelDef at_place_kernel{.name = "at_place", .access = accesses({r, r, w}), .bindings = 3};

struct ExtremumAttrs {
  unsigned bits;
  bool one_axis;  // then the gradient goes to the first of several ties, otherwise all share it
};

void extremum_rule(const OpCall& call, Node& out) {
  const Node& in = *call.in[0];
  const unsigned bits = call.attrs.as<ExtremumAttrs>().bits;
  require_one_of(call.op.name, in.dtype, {DType::f32, DType::i32});
  require_no_empty_axis(call.op.name, in.shape, bits);
  out.become(call.op.name, with_ones(in.shape, bits), in.dtype);
}

void launch_extremum(Stream& stream, const KernelDef& kernel, const char* operation, const Operand& in, const Operand& out,
                     const ReduceParams& p) {
  in_parts(stream, operation, in, out, p, [&](const Operand& from, const Operand& to, const ReduceParams& stage, bool) {
    stream.launch(kernel, {from, to}, stage, per_result(stage));
  });
}

// The first place of each line where x is y, which is somewhere in it.
void launch_first_place(Stream& stream, const char* operation, const Node& x, const Operand& y, const Operand& places,
                        const ReduceParams& p) {
  const KernelDef& kernel = x.dtype == DType::f32 ? first_place_kernel : first_place_i32_kernel;
  in_parts(stream, operation, read(x), places, p, [&](const Operand& from, const Operand& to, const ReduceParams& stage, bool is_first) {
    if (is_first)
      stream.launch(kernel, {from, y, to}, stage, per_result(stage));
    else
      stream.launch(min_i32_kernel, {from, to}, stage, per_result(stage));
  });
}

// Lines that are too long for one workgroup each.
ReduceParams cut_of(const MiddleParams& p) {
  return {.shifts = {}, .outer = p.outer, .middle = p.middle, .inner = p.inner, .parts = 1, .per_part = longest_part};
}
std::size_t bytes_of_lines(const MiddleParams& p) { return std::size_t{p.outer} * p.inner * sizeof(float); }

void argmax_in_parts(Stream& stream, const Node& x, const Node& out, const MiddleParams& p) {
  const std::size_t bytes = bytes_of_lines(p);
  const Storage largest = stream.take(bytes, MemoryTag::scratch, "argmax");
  launch_extremum(stream, x.dtype == DType::f32 ? max_kernel : max_i32_kernel, "argmax", read(x), scratch(largest, bytes, Access::write),
                  cut_of(p));
  launch_first_place(stream, "argmax", x, scratch(largest, bytes, Access::read), write(out), cut_of(p));
}

void first_tie_in_parts(Stream& stream, const Node& x, const Node& y, const Node& d, const Node& out, const MiddleParams& p) {
  const std::size_t bytes = bytes_of_lines(p);
  const Storage places = stream.take(bytes, MemoryTag::scratch, "first_tie");
  launch_first_place(stream, "first_tie", x, read(y), scratch(places, bytes, Access::write), cut_of(p));
  stream.launch(at_place_kernel, {scratch(places, bytes, Access::read), read(d), write(out)}, p, per_element(out));
}

// Group after group; what lies between stands in scratch memory.
void extremum_run(const KernelDef& kernel, const OpCall& call, Stream& stream, Node& out) {
  const Node& in = *call.in[0];
  const unsigned bits = call.attrs.as<ExtremumAttrs>().bits;
  Shape shape = in.shape;
  Operand from = read(in);
  Storage held;
  unsigned done = 0;
  for_each_group(bits, shape.rank(), [&](AxisGroup group) {
    done |= bits_of(group);
    const ReduceParams p = cut_at(shape, group.first, group.last);
    if (done == bits) return launch_extremum(stream, kernel, call.op.name, from, write(out), p);
    shape = with_ones(shape, done);
    const std::size_t bytes = static_cast<std::size_t>(shape.numel()) * sizeof(float);
    Storage partial = stream.take(bytes, MemoryTag::scratch, call.op.name);
    launch_extremum(stream, kernel, call.op.name, from, scratch(partial, bytes, Access::write), p);
    from = scratch(partial, bytes, Access::read);
    held = std::move(partial);
  });
}

constexpr auto ties_rule = [](const OpCall& call, Node& out) { out.become_like(*call.in[0]); };
constexpr OpDef all_ties{.name = "all_ties", .rule = ties_rule, .run = [](const OpCall& call, Stream& stream, Node& out) {
                           stream.launch(all_ties_kernel, {read(*call.in[0]), read(*call.in[1]), read(*call.in[2]), write(out)},
                                         call.attrs.as<MiddleParams>(), per_element(out));
                         }};
constexpr OpDef first_tie{.name = "first_tie", .rule = ties_rule, .run = [](const OpCall& call, Stream& stream, Node& out) {
                            const auto p = call.attrs.as<MiddleParams>();
                            if (is_too_long(stream, p.middle))
                              return first_tie_in_parts(stream, *call.in[0], *call.in[1], *call.in[2], out, p);
                            stream.launch(first_tie_kernels.of(p.middle),
                                          {read(*call.in[0]), read(*call.in[1]), read(*call.in[2]), write(out)}, p,
                                          {p.outer * p.inner, 1, 1});
                          }};

Tensors extremum_gradient(const Grad& g) {
  const auto [bits, one_axis] = g.attrs<ExtremumAttrs>();
  const Tensor x = g.in(0), y = g.out();
  const Shape& shape = x.shape();
  AxisGroup group{};
  for_each_group(bits, shape.rank(), [&](AxisGroup found) { group = found; });
  const bool together = is_one_group(bits, shape.rank());
  const MiddleParams p = together ? middle_of(shape, group.first, group.last) : middle_of(shape, 0, 0);
  if (one_axis) return {apply(first_tie, {&x, &y, &g.dout}, p)};
  // Axes that are no neighbours: y and d are made as large as x.
  const auto spread = [&](const Tensor& a) { return together ? a : broadcast_to(a, shape); };
  const Tensor wide = spread(y), ones = spread(full(y.shape(), 1.0F, {.device = y.device()}));
  const Tensor share = spread(g.dout / sum_keeping(apply(all_ties, {&x, &wide, &ones}, p), bits));
  return {apply(all_ties, {&x, &wide, &share}, p)};
}

}  // namespace

namespace ops {
namespace {

constexpr OpDef max{
    .name = "max",
    .rule = extremum_rule,
    .run = [](const OpCall& call, Stream& stream,
              Node& out) { extremum_run(out.dtype == DType::f32 ? max_kernel : max_i32_kernel, call, stream, out); },
    .gradient = extremum_gradient,
    .saves = Saves::both,
};
constexpr OpDef min{
    .name = "min",
    .rule = extremum_rule,
    .run = [](const OpCall& call, Stream& stream,
              Node& out) { extremum_run(out.dtype == DType::f32 ? min_kernel : min_i32_kernel, call, stream, out); },
    .gradient = extremum_gradient,
    .saves = Saves::both,
};
constexpr OpDef argmax{
    .name = "argmax",
    .rule =
        [](const OpCall& call, Node& out) {
          const Node& in = *call.in[0];
          const unsigned bits = bits_of(call.attrs.as<AxisGroup>());
          require_one_of("argmax", in.dtype, {DType::f32, DType::i32});
          require_no_empty_axis("argmax", in.shape, bits);
          out.become("argmax", with_ones(in.shape, bits), DType::i32);
        },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          const auto [first, last] = call.attrs.as<AxisGroup>();
          const Node& in = *call.in[0];
          const MiddleParams p = middle_of(in.shape, first, last);
          if (is_too_long(stream, p.middle)) return argmax_in_parts(stream, in, out, p);
          stream.launch((in.dtype == DType::f32 ? argmax_kernels : argmax_i32_kernels).of(p.middle), {read(in), write(out)}, p,
                        per_element(out));
        },
};

}  // namespace
}  // namespace ops

void register_extrema(Operations& all) {
  all.push_back(&ops::max);
  all.push_back(&ops::min);
  all.push_back(&ops::argmax);
}

namespace {

Tensor extremum_over(const OpDef& op, const Tensor& a, const Axes& axes) {
  return finished(apply(op, {&a}, ExtremumAttrs{axes.bits, axes.is_one}), a.shape(), axes);
}
Tensor max_over(const Tensor& a, const Axes& axes) { return extremum_over(ops::max, a, axes); }
Tensor min_over(const Tensor& a, const Axes& axes) { return extremum_over(ops::min, a, axes); }

}  // namespace

TIDEPOOL_REDUCTION(max, max_over)
TIDEPOOL_REDUCTION(min, min_over)

Tensor argmax(const Tensor& a, std::int64_t axis, bool keepdim) {
  const Axes axes("argmax", a, axis, keepdim);
  AxisGroup group{};
  for_each_group(axes.bits, a.shape().rank(), [&](AxisGroup found) { group = found; });
  return finished(apply(ops::argmax, {&a}, group), a.shape(), axes);
}

}  // namespace tidepool::inline v0
