#include "ops/softmax/softmax.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/reduce/reduce.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;
constexpr LineKernels softmax_kernels = line_kernels("softmax", {r, w}, softmax_cpu::softmax);
constexpr LineKernels log_softmax_kernels = line_kernels("log_softmax", {r, w}, softmax_cpu::log_softmax);
constexpr LineKernels softmax_grad_kernels = line_kernels("softmax_grad", {r, r, w}, softmax_cpu::softmax_grad);
constexpr LineKernels log_softmax_grad_kernels = line_kernels("log_softmax_grad", {r, r, w}, softmax_cpu::log_softmax_grad);

void rule(const OpCall& call, Node& out) {
  require_dtype(call, DType::f32);
  out.become_like(*call.in[0]);
}

template <const LineKernels& kernels>
void run(const OpCall& call, Stream& stream, Node& out) {
  const auto p = call.attrs.as<MiddleParams>();
  const KernelDef& kernel = kernels.of(p.middle);
  const Extent columns{p.outer * p.inner, 1, 1};
  if (call.in.size() == 1)
    stream.launch(kernel, {read(*call.in[0]), write(out)}, p, columns);
  else
    stream.launch(kernel, {read(*call.in[0]), read(*call.in[1]), write(out)}, p, columns);
}

constexpr OpDef softmax_grad{.name = "softmax_grad", .rule = rule, .run = run<softmax_grad_kernels>};
constexpr OpDef log_softmax_grad{.name = "log_softmax_grad", .rule = rule, .run = run<log_softmax_grad_kernels>};

template <const OpDef& backward>
Tensors gradient(const Grad& g) {
  const Tensor y = g.out();
  return {apply(backward, {&y, &g.dout}, g.attrs<MiddleParams>())};
}

}  // namespace

namespace ops {
namespace {
constexpr OpDef softmax{
    .name = "softmax", .rule = rule, .run = run<softmax_kernels>, .gradient = gradient<softmax_grad>, .saves = Saves::output};
constexpr OpDef log_softmax{
    .name = "log_softmax", .rule = rule, .run = run<log_softmax_kernels>, .gradient = gradient<log_softmax_grad>, .saves = Saves::output};
}  // namespace
}  // namespace ops

void register_softmax(Operations& all) {
  all.push_back(&ops::softmax);
  all.push_back(&ops::log_softmax);
}

namespace {

// The definitions themselves, whose sums and maxima are made in parts.
Tensor softmax_of_long_lines(const Tensor& a, std::int64_t axis) {
  const Tensor powers = exp(a - max(a.detach(), axis, true));
  return powers / sum(powers, axis, true);
}
Tensor log_softmax_of_long_lines(const Tensor& a, std::int64_t axis) {
  const Tensor below = a - max(a.detach(), axis, true);
  return below - log(sum(exp(below), axis, true));
}

Tensor along(const OpDef& op, Tensor (*of_long_lines)(const Tensor&, std::int64_t), const Tensor& a, std::int64_t axis) {
  const Node& node = usable(op.name, a);
  const Shape& shape = node.shape;
  const std::int64_t first = normal_axis(op.name, axis, std::max<std::int64_t>(1, shape.rank()));  // a single number has an axis 0 here
  if (node.dtype == DType::f32 && shape.rank() > 0 && is_too_long(node, shape[first])) return of_long_lines(a, first);
  return apply(op, {&a}, middle_of(shape, first, std::min(first + 1, shape.rank())));
}

}  // namespace

Tensor softmax(const Tensor& a, std::int64_t axis) { return along(ops::softmax, softmax_of_long_lines, a, axis); }
Tensor log_softmax(const Tensor& a, std::int64_t axis) { return along(ops::log_softmax, log_softmax_of_long_lines, a, axis); }

}  // namespace tidepool::inline v0
