// Operations from the tables in unary.def and binary.def.
#include "ops/elementwise/elementwise.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "core/accumulate.h"
#include "core/tape.h"
#include "ops/elementwise/params.h"
#include "ops/elementwise/probe.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

struct Numbers {  // p.a and p.b
  float a = 0, b = 0;
};

constexpr Access r = Access::read, w = Access::write;

Extent per_element(std::int64_t count) { return {static_cast<std::uint32_t>(count), 1, 1}; }

// What stands after a and b is not set, and not sent.
void set_flat(ElementwiseParams& p, std::int64_t count, Numbers numbers) {
  p.shifts = {};
  p.count = static_cast<std::uint32_t>(count);
  p.rank = 0;
  p.a = numbers.a;
  p.b = numbers.b;
}

template <std::size_t count>
[[gnu::always_inline]] inline void launch_flat(Stream& stream, const KernelDef& kernel, const Operand (&operands)[count],
                                               std::int64_t elements, Numbers numbers) {
  stream.launch_filled<ElementwiseParams>(kernel, operands, per_element(elements), ElementwiseParams::flat_bytes,
                                          [&](ElementwiseParams& p) { set_flat(p, elements, numbers); });
}

// Fills in how two inputs run along an output of this shape. Neighbouring axes that both run along alike become one.
void set_broadcast(ElementwiseParams& p, const Shape& out, const Shape& x, const Shape& y) {
  std::uint32_t size[8], stride_x[8], stride_y[8];
  std::size_t rank = 0;  // so far, innermost first
  std::uint32_t step_x = 1, step_y = 1;
  for (std::int64_t i = 1; i <= out.rank(); ++i) {
    const auto n = static_cast<std::uint32_t>(out[-i]);
    const auto own = [&](const Shape& shape) { return i <= shape.rank() ? static_cast<std::uint32_t>(shape[-i]) : 1U; };
    const std::uint32_t nx = own(x), ny = own(y);
    if (n != 1) {
      const std::uint32_t sx = nx == 1 ? 0 : step_x, sy = ny == 1 ? 0 : step_y;
      if (rank > 0 && stride_x[rank - 1] * size[rank - 1] == sx && stride_y[rank - 1] * size[rank - 1] == sy) {
        size[rank - 1] *= n;
      } else {
        size[rank] = n;
        stride_x[rank] = sx;
        stride_y[rank] = sy;
        ++rank;
      }
    }
    step_x *= nx;
    step_y *= ny;
  }
  p.rank = static_cast<std::uint32_t>(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    p.size[i] = size[rank - 1 - i];
    p.stride_x[i] = stride_x[rank - 1 - i];
    p.stride_y[i] = stride_y[rank - 1 - i];
  }
  std::fill(p.size + rank, p.size + 8, 1U);
  std::fill(p.stride_x + rank, p.stride_x + 8, 0U);
  std::fill(p.stride_y + rank, p.stride_y + 8, 0U);
}

void unary_rule(const OpCall& call, Node& out) {
  require_dtype(call, DType::f32);
  out.become_like(*call.in[0]);
}

void unary_run(const OpCall& call, Stream& stream, Node& out) {
  launch_flat(stream, *call.op.kernel, {read(*call.in[0]), write(out)}, out.numel, call.attrs.as<Numbers>());
}

void binary_rule(const OpCall& call, Node& out) {
  require_dtype(call, DType::f32);
  const Shape &a = call.in[0]->shape, &b = call.in[1]->shape;
  if (a == b) [[likely]]
    out.become_like(*call.in[0]);
  else
    out.become(call.op.name, broadcast_shape(call.op.name, a, b), DType::f32);
}

void launch_binary(const KernelDef& kernel, const Node& x, const Node& y, const Node& out, Stream& stream) {
  // With as many elements as the output, an input is not broadcast.
  if (x.numel == out.numel && y.numel == out.numel) [[likely]] {
    launch_flat(stream, kernel, {read(x), read(y), write(out)}, out.numel, {});
    return;
  }
  ElementwiseParams p;
  set_flat(p, out.numel, {});
  set_broadcast(p, out.shape, x.shape, y.shape);
  stream.launch(kernel, {read(x), read(y), write(out)}, p, per_element(out.numel));
}

void binary_run(const OpCall& call, Stream& stream, Node& out) { launch_binary(*call.op.kernel, *call.in[0], *call.in[1], out, stream); }

// Gradients are operations too (without gradients of their own): d, x and y in, of which unread ones are d again.
void gradient_rule(const OpCall& call, Node& out) { out.become_like(*call.in[0]); }

void unary_gradient_run(const OpCall& call, Stream& stream, Node& out) {
  launch_flat(stream, *call.op.kernel, {read(*call.in[0]), read(*call.in[1]), read(*call.in[2]), write(out)}, out.numel,
              call.attrs.as<Numbers>());
}

void binary_gradient_run(const OpCall& call, Stream& stream, Node& out) {
  const Node &d = *call.in[0], &x = *call.in[1], &y = *call.in[2];
  if (x.numel == out.numel && y.numel == out.numel) {
    launch_flat(stream, *call.op.kernel, {read(d), read(x), read(y), write(out)}, out.numel, {});
    return;
  }
  ElementwiseParams p;
  set_flat(p, out.numel, {});
  set_broadcast(p, out.shape, x.shape, y.shape);
  stream.launch(*call.op.kernel, {read(d), read(x), read(y), write(out)}, p, per_element(out.numel));
}

// `Dx` is a probe: what the gradient's expression reads.
template <class Dx>
Tensors unary_gradient(const Grad& g, const OpDef& backward) {
  if (Dx::is_d) return {g.dout};
  const Tensor x = Dx::reads_x ? g.in(0) : g.dout;
  const Tensor y = Dx::reads_y ? g.out() : g.dout;
  return {apply(backward, {&g.dout, &x, &y}, g.attrs<Numbers>())};
}

template <class Dx>
Tensor binary_gradient(const Grad& g, const OpDef& backward, std::size_t input) {
  if (!g.needs(input)) return {};
  if (Dx::is_d) return sum_to(g.dout, g.shape(input));
  const Tensor x = Dx::reads_x ? g.in(0) : g.dout;
  const Tensor y = Dx::reads_y ? g.in(1) : g.dout;
  return sum_to(apply(backward, {&g.dout, &x, &y}), g.shape(input));
}

template <class Dx>
constexpr Saves unary_saves = static_cast<Saves>((Dx::reads_x ? 1 : 0) | (Dx::reads_y ? 2 : 0));
template <class Dx, class Dy>
constexpr Saves binary_saves = Dx::reads_x || Dx::reads_y || Dy::reads_x || Dy::reads_y ? Saves::inputs : Saves::nothing;

}  // namespace

namespace ops {
namespace {

// What each gradient reads, by evaluating its expression over types.
#define UNARY(op, f, df)                                                                                                        \
  using op##_dx = decltype([](auto x, auto y, auto d, auto p) { return (void)x, (void)y, (void)p, df; }(probe::X(), probe::Y(), \
                                                                                                        probe::D(), probe::Numbers()));
#include "ops/elementwise/unary.def"
#define BINARY(op, f, dfx, dfy)                                                                                               \
  using op##_dx = decltype([](auto x, auto y, auto d) { return (void)x, (void)y, dfx; }(probe::X(), probe::Y(), probe::D())); \
  using op##_dy = decltype([](auto x, auto y, auto d) { return (void)x, (void)y, dfy; }(probe::X(), probe::Y(), probe::D()));
#include "ops/elementwise/binary.def"

constexpr KernelDef forward_kernel(const char* name, std::uint8_t inputs, void (*cpu)(const CpuCall&)) {
  return {.name = name,
          .access = inputs == 1 ? accesses({r, w}) : accesses({r, r, w}),
          .bindings = static_cast<std::uint8_t>(inputs + 1),
          .cpu = cpu};
}
constexpr KernelDef gradient_kernel(const char* name, void (*cpu)(const CpuCall&)) {
  return {.name = name, .access = accesses({r, r, r, w}), .bindings = 4, .cpu = cpu};
}

#define UNARY(op, f, df)                                                                                                         \
  constexpr KernelDef op##_kernel = forward_kernel(#op, 1, elementwise_cpu::op);                                                 \
  constexpr KernelDef op##_grad_kernel = gradient_kernel(#op "_grad", elementwise_cpu::op##_grad);                               \
  constexpr OpDef op##_grad{.name = #op "_grad", .rule = gradient_rule, .run = unary_gradient_run, .kernel = &op##_grad_kernel}; \
  constexpr OpDef op{.name = #op,                                                                                                \
                     .rule = unary_rule,                                                                                         \
                     .run = unary_run,                                                                                           \
                     .gradient = [](const Grad& g) { return unary_gradient<op##_dx>(g, op##_grad); },                            \
                     .saves = unary_saves<op##_dx>,                                                                              \
                     .kernel = &op##_kernel};
#include "ops/elementwise/unary.def"

#define BINARY(op, f, dfx, dfy)                                                                                                         \
  constexpr KernelDef op##_kernel = forward_kernel(#op, 2, elementwise_cpu::op);                                                        \
  constexpr KernelDef op##_grad_x_kernel = gradient_kernel(#op "_grad_x", elementwise_cpu::op##_grad_x);                                \
  constexpr KernelDef op##_grad_y_kernel = gradient_kernel(#op "_grad_y", elementwise_cpu::op##_grad_y);                                \
  constexpr OpDef op##_grad_x{.name = #op "_grad_x", .rule = gradient_rule, .run = binary_gradient_run, .kernel = &op##_grad_x_kernel}; \
  constexpr OpDef op##_grad_y{.name = #op "_grad_y", .rule = gradient_rule, .run = binary_gradient_run, .kernel = &op##_grad_y_kernel}; \
  constexpr OpDef op{.name = #op,                                                                                                       \
                     .rule = binary_rule,                                                                                               \
                     .run = binary_run,                                                                                                 \
                     .gradient =                                                                                                        \
                         [](const Grad& g) {                                                                                            \
                           return Tensors{binary_gradient<op##_dx>(g, op##_grad_x, 0), binary_gradient<op##_dy>(g, op##_grad_y, 1)};    \
                         },                                                                                                             \
                     .saves = binary_saves<op##_dx, op##_dy>,                                                                           \
                     .kernel = &op##_kernel};
#include "ops/elementwise/binary.def"

}  // namespace
}  // namespace ops

void register_elementwise(Operations& all) {
#define UNARY(op, f, df) all.push_back(&ops::op);
#include "ops/elementwise/unary.def"
#define BINARY(op, f, dfx, dfy) all.push_back(&ops::op);
#include "ops/elementwise/binary.def"
}

Shape broadcast_shape(const char* operation, const Shape& a, const Shape& b) {
  std::array<std::int64_t, Shape::max_rank> sizes{};
  const std::int64_t rank = std::max(a.rank(), b.rank());
  for (std::int64_t i = 1; i <= rank; ++i) {
    const std::int64_t na = i <= a.rank() ? a[-i] : 1, nb = i <= b.rank() ? b[-i] : 1;
    if (na != nb && na != 1 && nb != 1)
      throw ShapeError(operation, cat("shapes do not broadcast: ", a, " and ", b, " differ in axis ", -i, "; sizes must be equal or 1"));
    sizes[static_cast<std::size_t>(rank - i)] = na == 1 ? nb : na;
  }
  return Shape(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(rank)));
}

// In place, so that handles and plans that know the gradient keep seeing it.
void accumulate(Node& leaf, Tensor gradient) {
  if (!leaf.grad) {
    // A gradient that something else holds too (the seed, another leaf's) must not be shared: it will be added to.
    if (gradient.shared().use_count() > 1 || gradient.node()->storage->handles.load() > 1) gradient = gradient.clone();
    gradient.node()->kept = true;
    leaf.grad = gradient.shared();
    Stream& stream = *leaf.grad->storage->owner->stream;
    const StreamLock lock(stream);
    stream.retag(*leaf.grad->storage.block(), MemoryTag::gradients);
    return;
  }
  const Tensor sum(leaf.grad);
  apply_in_place(
      "backward", {&sum, &gradient}, 1, [](std::span<Node* const>) {},
      [](std::span<Node* const> nodes, Stream& stream, const Attrs&) {
        launch_binary(ops::add_kernel, *nodes[0], *nodes[1], *nodes[0], stream);
      },
      Attrs{});
}

// The functions of the tables.
#define UNARY_WITH(op, f, df)
#define UNARY(op, f, df) \
  Tensor op(const Tensor& a) { return apply(ops::op, {&a}, Numbers{}); }
#include "ops/elementwise/unary.def"
#define BINARY(op, f, dfx, dfy) \
  Tensor op(const Tensor& a, const Tensor& b) { return apply(ops::op, {&a, &b}); }
#include "ops/elementwise/binary.def"

Tensor leaky_relu(const Tensor& a, float slope) { return apply(ops::leaky_relu, {&a}, Numbers{slope}); }

Tensor operator+(const Tensor& a, float b) { return apply(ops::add_scalar, {&a}, Numbers{b}); }
Tensor operator+(float a, const Tensor& b) { return apply(ops::add_scalar, {&b}, Numbers{a}); }
Tensor operator-(const Tensor& a, float b) { return apply(ops::add_scalar, {&a}, Numbers{-b}); }
Tensor operator-(float a, const Tensor& b) { return apply(ops::rsub_scalar, {&b}, Numbers{a}); }
Tensor operator*(const Tensor& a, float b) { return apply(ops::mul_scalar, {&a}, Numbers{b}); }
Tensor operator*(float a, const Tensor& b) { return apply(ops::mul_scalar, {&b}, Numbers{a}); }
Tensor operator/(const Tensor& a, float b) { return apply(ops::div_scalar, {&a}, Numbers{b}); }
Tensor operator/(float a, const Tensor& b) { return apply(ops::rdiv_scalar, {&b}, Numbers{a}); }

}  // namespace tidepool::inline v0
