// Operations from the tables in unary.def and binary.def.
#include "ops/elementwise/elementwise.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "core/accumulate.h"
#include "core/tape.h"
#include "device/capture.h"
#include "ops/elementwise/broadcast.h"
#include "ops/elementwise/params.h"
#include "ops/elementwise/probe.h"
#include "ops/typed/typed.h"
#include "platform/cat.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace tidepool::inline v0 {

namespace {

struct Numbers {  // p.a and p.b
  float a = 0, b = 0;
};

using access::r, access::w;

template <std::size_t count>
[[gnu::always_inline]] inline void launch_flat(Stream& stream, const KernelDef& kernel, const Operand (&operands)[count],
                                               std::int64_t elements, Numbers numbers) {
  stream.launch_filled<ElementwiseParams>(kernel, operands, per_element(elements), ElementwiseParams::flat_bytes,
                                          [&](ElementwiseParams& p) { set_flat(p, elements, numbers.a, numbers.b); });
}

// All inputs are i32, and the operation knows i32; else it is the error that asks for f32.
[[gnu::cold, gnu::noinline]] void integer_rule(const OpCall& call, Node& out) {
  if (!call.op.kernel_i32) wrong_dtype(call, DType::f32);
  for (const Node* node : call.in)
    if (node->dtype != DType::i32) wrong_dtype(call, DType::f32);
  const Shape& a = call.in[0]->shape;
  out.become(call.op.name, call.in.size() == 1 ? a : broadcast_shape(call.op.name, a, call.in[1]->shape), call.op.result_i32);
}
const KernelDef& kernel_for(const OpCall& call) { return call.in[0]->dtype == DType::f32 ? *call.op.kernel : *call.op.kernel_i32; }

void unary_rule(const OpCall& call, Node& out) {
  if (call.in[0]->dtype != DType::f32) [[unlikely]]
    return integer_rule(call, out);
  out.become_like(*call.in[0]);
}

void unary_run(const OpCall& call, Stream& stream, Node& out) {
  launch_flat(stream, kernel_for(call), {read(*call.in[0]), write(out)}, out.numel, call.attrs.as<Numbers>());
}

void binary_rule(const OpCall& call, Node& out) {
  if (call.in[0]->dtype != DType::f32 || call.in[1]->dtype != DType::f32) [[unlikely]]
    return integer_rule(call, out);
  const Shape &a = call.in[0]->shape, &b = call.in[1]->shape;
  if (a == b) [[likely]]
    out.become_like(*call.in[0]);
  else
    out.become(call.op.name, broadcast_shape(call.op.name, a, b), DType::f32);
}

void binary_run(const OpCall& call, Stream& stream, Node& out) { launch_binary(kernel_for(call), *call.in[0], *call.in[1], out, stream); }

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
  set_flat(p, out.numel);
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
constexpr Saves binary_saves =
    (Dx::reads_x || Dx::reads_y) || (Dy::reads_x || Dy::reads_y) ? Saves::inputs : Saves::nothing;  // NOLINT: not the same

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

// Shaders of f32 take four elements for each work item.
// How chains in plans do it: as a part of a shader, and in registers.
struct InChains {
  const ElementText* text = nullptr;
  Stages (*stages)(int instructions) = nullptr;
};
constexpr KernelDef forward_kernel(const char* name, std::uint8_t inputs, void (*cpu)(const CpuCall&), InChains in_chains,
                                   std::uint32_t covers = 256) {
  return {.name = name,
          .access = inputs == 1 ? accesses({r, w}) : accesses({r, r, w}),
          .bindings = static_cast<std::uint8_t>(inputs + 1),
          .cpu = cpu,
          .covers = covers,
          .flat = std::string_view(name) == "add" ? &flat_addition : &flat_elementwise,
          .element = in_chains.text,
          .stages = in_chains.stages};
}
constexpr KernelDef gradient_kernel(const char* name, void (*cpu)(const CpuCall&), InChains in_chains) {
  return {.name = name,
          .access = accesses({r, r, r, w}),
          .bindings = 4,
          .cpu = cpu,
          .covers = 256,
          .flat = &flat_elementwise,
          .element = in_chains.text,
          .stages = in_chains.stages};
}
constexpr ElementText text_of(const char* expression, const char* inputs) {
  return {.glsl = expression, .inputs = inputs, .numbers_at = offsetof(ElementwiseParams, a)};
}

// The kernels of i32; most operations have none.
#define INTEGER_UNARY(op, to, f) constexpr KernelDef op##_i32_kernel = forward_kernel(#op "_i32", 1, typed_cpu::op, {}, 0);
#define INTEGER_BINARY(op, to, f) constexpr KernelDef op##_i32_kernel = forward_kernel(#op "_i32", 2, typed_cpu::op, {}, 0);
#include "ops/typed/integer.def"
consteval const KernelDef* i32_kernel(std::string_view name) {
#define INTEGER_UNARY(op, to, f) \
  if (name == #op) return &op##_i32_kernel;
#define INTEGER_BINARY(op, to, f) INTEGER_UNARY(op, to, f)
#include "ops/typed/integer.def"
  return nullptr;
}
consteval DType i32_result(std::string_view name) {
#define INTEGER_UNARY(op, to, f) \
  if (name == #op) return std::is_same_v<to, float> ? DType::f32 : DType::i32;
#define INTEGER_BINARY(op, to, f) INTEGER_UNARY(op, to, f)
#include "ops/typed/integer.def"
  return DType::i32;
}

#define UNARY(op, f, df)                                                                                                         \
  constexpr ElementText op##_text = text_of(#f, "x"), op##_grad_text = text_of(#df, "dxy");                                      \
  constexpr KernelDef op##_kernel = forward_kernel(#op, 1, elementwise_cpu::op, {&op##_text, elementwise_cpu::op##_stages});     \
  constexpr KernelDef op##_grad_kernel =                                                                                         \
      gradient_kernel(#op "_grad", elementwise_cpu::op##_grad, {&op##_grad_text, elementwise_cpu::op##_grad_stages});            \
  constexpr OpDef op##_grad{.name = #op "_grad", .rule = gradient_rule, .run = unary_gradient_run, .kernel = &op##_grad_kernel}; \
  constexpr OpDef op{.name = #op,                                                                                                \
                     .rule = unary_rule,                                                                                         \
                     .run = unary_run,                                                                                           \
                     .gradient = [](const Grad& g) { return unary_gradient<op##_dx>(g, op##_grad); },                            \
                     .saves = unary_saves<op##_dx>,                                                                              \
                     .kernel = &op##_kernel,                                                                                     \
                     .kernel_i32 = i32_kernel(#op),                                                                              \
                     .result_i32 = i32_result(#op)};
#include "ops/elementwise/unary.def"

#define BINARY(op, f, dfx, dfy)                                                                                                          \
  constexpr ElementText op##_text = text_of(#f, "xy"), op##_grad_x_text = text_of(#dfx, "dxy"), op##_grad_y_text = text_of(#dfy, "dxy"); \
  constexpr KernelDef op##_kernel = forward_kernel(#op, 2, elementwise_cpu::op, {&op##_text, elementwise_cpu::op##_stages});             \
  constexpr KernelDef op##_grad_x_kernel =                                                                                               \
      gradient_kernel(#op "_grad_x", elementwise_cpu::op##_grad_x, {&op##_grad_x_text, elementwise_cpu::op##_grad_x_stages});            \
  constexpr KernelDef op##_grad_y_kernel =                                                                                               \
      gradient_kernel(#op "_grad_y", elementwise_cpu::op##_grad_y, {&op##_grad_y_text, elementwise_cpu::op##_grad_y_stages});            \
  constexpr OpDef op##_grad_x{.name = #op "_grad_x", .rule = gradient_rule, .run = binary_gradient_run, .kernel = &op##_grad_x_kernel};  \
  constexpr OpDef op##_grad_y{.name = #op "_grad_y", .rule = gradient_rule, .run = binary_gradient_run, .kernel = &op##_grad_y_kernel};  \
  constexpr OpDef op{.name = #op,                                                                                                        \
                     .rule = binary_rule,                                                                                                \
                     .run = binary_run,                                                                                                  \
                     .gradient =                                                                                                         \
                         [](const Grad& g) {                                                                                             \
                           return Tensors{binary_gradient<op##_dx>(g, op##_grad_x, 0), binary_gradient<op##_dy>(g, op##_grad_y, 1)};     \
                         },                                                                                                              \
                     .saves = binary_saves<op##_dx, op##_dy>,                                                                            \
                     .kernel = &op##_kernel,                                                                                             \
                     .kernel_i32 = i32_kernel(#op),                                                                                      \
                     .result_i32 = i32_result(#op)};
#include "ops/elementwise/binary.def"

}  // namespace
}  // namespace ops

void register_elementwise(Operations& all) {
#define UNARY(op, f, df) all.push_back(&ops::op);
#include "ops/elementwise/unary.def"
#define BINARY(op, f, dfx, dfy) all.push_back(&ops::op);
#include "ops/elementwise/binary.def"
}

namespace {
// False: another thread's came first, and the gradient is to be added to it.
bool give_first_gradient(const std::shared_ptr<Node>& to, Tensor& gradient) {
  // A gradient that something else holds too (the seed, another leaf's) must not be shared: it will be added to.
  if (gradient.shared().use_count() > 1 || gradient.node()->storage->handles.load() > 1) gradient = gradient.clone();
  gradient.node()->kept = true;
  if (!to->grad.give_first(gradient.shared())) return false;
  if (Capture* capture = Capture::current())
    capture->if_it_fails([leaf = std::weak_ptr(to)] {
      if (const auto node = leaf.lock()) node->grad = nullptr;
    });
  Stream& stream = *gradient.node()->storage->owner->stream;
  const StreamLock lock(stream);
  stream.retag(*gradient.node()->storage.block(), MemoryTag::gradients);
  return true;
}
}  // namespace

// In place, so that handles and plans that know the gradient keep seeing it.
void accumulate(const std::shared_ptr<Node>& to, Tensor gradient) {
  if (!to->grad && give_first_gradient(to, gradient)) return;
  const Tensor sum(to->grad);
  apply_in_place(
      "backward", {&sum, &gradient}, 1, nullptr,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs&) {
        launch_binary(ops::add_kernel, *nodes[0], *nodes[1], *nodes[0], stream);
      },
      Attrs{});
}

void launch_gelu(Stream& stream, const Node& x, const Node& y) { launch_flat(stream, ops::gelu_kernel, {read(x), write(y)}, y.numel, {}); }

// The functions of the tables.
#define UNARY_WITH(op, f, df)
#define UNARY(op, f, df) \
  Tensor op(const Tensor& a) { return apply(ops::op, {&a}, Numbers{}); }
#include "ops/elementwise/unary.def"
#define BINARY(op, f, dfx, dfy) \
  Tensor op(const Tensor& a, const Tensor& b) { return apply(ops::op, {&a, &b}); }
#include "ops/elementwise/binary.def"

Tensor pow(const Tensor& a, float exponent) {
  if (exponent == 2.0F) return square(a);
  if (exponent == 0.5F) return sqrt(a);
  return apply(ops::pow_scalar, {&a}, Numbers{exponent, exponent - 1.0F});
}
Tensor clamp(const Tensor& a, float low, float high) { return apply(ops::clamp, {&a}, Numbers{low, high}); }
Tensor leaky_relu(const Tensor& a, float slope) { return apply(ops::leaky_relu, {&a}, Numbers{slope}); }

namespace {
bool is_integer(const Tensor& a) { return a.node() && a.node()->dtype == DType::i32; }
// i32 takes whole numbers only.
Tensor whole(const char* operation, const Tensor& like, float value) {
  if (value != std::trunc(value) || std::abs(value) > 2147483520.0F)
    throw DTypeError(operation, cat("got a tensor of type i32 and the number ", value, "; convert the tensor with to(DType::f32)"));
  return full({}, value, {.dtype = DType::i32, .device = like.device()});
}
}  // namespace

Tensor operator+(const Tensor& a, float b) { return is_integer(a) ? add(a, whole("add", a, b)) : apply(ops::add_scalar, {&a}, Numbers{b}); }
Tensor operator-(const Tensor& a, float b) {
  return is_integer(a) ? sub(a, whole("sub", a, b)) : apply(ops::add_scalar, {&a}, Numbers{-b});
}
Tensor operator-(float a, const Tensor& b) {
  return is_integer(b) ? sub(whole("sub", b, a), b) : apply(ops::rsub_scalar, {&b}, Numbers{a});
}
Tensor operator*(const Tensor& a, float b) { return is_integer(a) ? mul(a, whole("mul", a, b)) : apply(ops::mul_scalar, {&a}, Numbers{b}); }
Tensor operator/(const Tensor& a, float b) {
  const Tensor x = is_integer(a) ? a.to(DType::f32) : a;
  return apply(ops::div_scalar, {&x}, Numbers{b});
}
Tensor operator/(float a, const Tensor& b) {
  const Tensor x = is_integer(b) ? b.to(DType::f32) : b;
  return apply(ops::rdiv_scalar, {&x}, Numbers{a});
}
Tensor operator+(float a, const Tensor& b) { return b + a; }
Tensor operator*(float a, const Tensor& b) { return b * a; }

}  // namespace tidepool::inline v0
