#include "ops/typed/typed.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/elementwise/broadcast.h"
#include "ops/elementwise/elementwise.h"
#include "ops/layout/layout.h"
#include "ops/typed/narrow.h"
#include "platform/cat.h"

#include <cmath>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;
constexpr KernelDef typed_kernel(const char* name, std::uint8_t inputs, void (*cpu)(const CpuCall&)) {
  return {.name = name,
          .access = inputs == 1   ? accesses({r, w})
                    : inputs == 2 ? accesses({r, r, w})
                                  : accesses({r, r, r, w}),
          .bindings = static_cast<std::uint8_t>(inputs + 1),
          .cpu = cpu};
}

#define COMPARE(op, f)                                                                    \
  constexpr KernelDef op##_f32_kernel = typed_kernel(#op "_f32", 2, typed_cpu::op##_f32); \
  constexpr KernelDef op##_i32_kernel = typed_kernel(#op "_i32", 2, typed_cpu::op##_i32); \
  constexpr KernelDef op##_u8_kernel = typed_kernel(#op "_u8", 2, typed_cpu::op##_u8);
#include "ops/typed/compare.def"
constexpr KernelDef where_kernel = typed_kernel("where", 3, typed_cpu::where);
constexpr KernelDef mask_kernel = typed_kernel("mask", 2, typed_cpu::mask);
constexpr KernelDef cast_kernel = typed_kernel("cast", 1, typed_cpu::cast);

void broadcast_rule(const OpCall& call, Node& out, DType result) {
  const Node &a = *call.in[0], &b = *call.in[1];
  if (a.dtype != b.dtype) throw DTypeError(call.op.name, cat("types differ: ", a.dtype, " and ", b.dtype, "; convert one with to(dtype)"));
  if (a.dtype == DType::f16) throw DTypeError(call.op.name, "got tensors of type f16; convert them with to(DType::f32)");
  out.become(call.op.name, broadcast_shape(call.op.name, a.shape, b.shape), result);
}

struct Kernels {
  const KernelDef *f32, *i32, *u8;
};
void compare(const OpCall& call, Stream& stream, Node& out, const Kernels& kernels) {
  const DType type = call.in[0]->dtype;
  launch_binary(type == DType::f32 ? *kernels.f32 : type == DType::i32 ? *kernels.i32 : *kernels.u8, *call.in[0], *call.in[1], out, stream);
}

TypedParams params_for(const Node& out) {
  return {.shifts = {}, .count = static_cast<std::uint32_t>(out.numel), .from = static_cast<std::uint32_t>(out.dtype), .to = 0, .keep = 0};
}

struct CastAttrs {
  DType from, to;
};
struct MaskAttrs {
  std::uint32_t keep;
};

void cast_rule(const OpCall& call, Node& out) { out.become("to", call.in[0]->shape, call.attrs.as<CastAttrs>().to); }
void cast_run(const OpCall& call, Stream& stream, Node& out) {
  TypedParams p = params_for(out);
  p.from = static_cast<std::uint32_t>(call.in[0]->dtype);
  p.to = static_cast<std::uint32_t>(out.dtype);
  stream.launch(cast_kernel, {read(*call.in[0]), write(out)}, p, per_word(out));
}

}  // namespace

namespace ops {
namespace {

#define COMPARE(op, f)                                                                                        \
  constexpr OpDef op{.name = #op,                                                                             \
                     .rule = [](const OpCall& call, Node& out) { broadcast_rule(call, out, DType::u8); },     \
                     .run =                                                                                   \
                         [](const OpCall& call, Stream& stream, Node& out) {                                  \
                           compare(call, stream, out, {&op##_f32_kernel, &op##_i32_kernel, &op##_u8_kernel}); \
                         }};
#include "ops/typed/compare.def"

// d where the condition is true (or, for the other input, false), else 0.
constexpr OpDef mask{
    .name = "where_grad",
    .rule = [](const OpCall& call, Node& out) { out.become_like(*call.in[1]); },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          TypedParams p = params_for(out);
          p.keep = call.attrs.as<MaskAttrs>().keep;
          stream.launch(mask_kernel, {read(*call.in[0]), read(*call.in[1]), write(out)}, p, per_word(out));
        },
};

// The inputs have the output's shape; `where` sees to that.
constexpr OpDef where{
    .name = "where",
    .rule = [](const OpCall& call, Node& out) { out.become_like(*call.in[1]); },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          stream.launch(where_kernel, {read(*call.in[0]), read(*call.in[1]), read(*call.in[2]), write(out)}, params_for(out),
                        per_word(out));
        },
    .gradient = [](const Grad& g) -> Tensors {
      const Tensor condition = g.in(0);
      const auto part = [&](std::size_t input, std::uint32_t keep) {
        return g.needs(input) ? apply(ops::mask, {&condition, &g.dout}, MaskAttrs{keep}) : Tensor();
      };
      return {Tensor(), part(1, 1), part(2, 0)};
    },
};

constexpr OpDef cast{.name = "to", .rule = cast_rule, .run = cast_run};
constexpr OpDef cast_float{
    .name = "to_float",
    .rule = cast_rule,
    .run = cast_run,
    .gradient = [](const Grad& g) -> Tensors { return {g.dout.to(g.attrs<CastAttrs>().from)}; },
    .saves = Saves::nothing,
};

}  // namespace
}  // namespace ops

void register_typed(Operations& all) {
#define COMPARE(op, f) all.push_back(&ops::op);
#include "ops/typed/compare.def"
  all.insert(all.end(), {&ops::where, &ops::cast, &ops::cast_float});
}

namespace {

// What stands for b among whole numbers: x < 1.5 where x < 2, x <= 1.5 where x <= 1. None equals 1.5.
namespace rounded {
float eq(float b) { return b; }
float ne(float b) { return b; }
float lt(float b) { return std::ceil(b); }
float le(float b) { return std::floor(b); }
float gt(float b) { return std::floor(b); }
float ge(float b) { return std::ceil(b); }
}  // namespace rounded

// Where the type has no such whole number, all of its numbers compare with b as 0 does.
Tensor compare_whole(Tensor (*compare)(const Tensor&, const Tensor&), const Tensor& a, float whole, bool as_zero) {
  if (whole != std::trunc(whole) || !holds(a.dtype(), whole))
    return full(a.shape(), as_zero ? 1.0F : 0.0F, {.dtype = DType::u8, .device = a.device()});
  return compare(a, full({}, whole, {.dtype = a.dtype(), .device = a.device()}));
}

}  // namespace

#define COMPARE(op, f)                                                                                            \
  Tensor op(const Tensor& a, const Tensor& b) { return apply(ops::op, {&a, &b}); }                                \
  Tensor op(const Tensor& a, float b) {                                                                           \
    const DType type = usable(#op, a).dtype;                                                                      \
    const auto holds_for = [](float x, float y) { return f; };                                                    \
    if (type == DType::i32 || type == DType::u8) return compare_whole(op, a, rounded::op(b), holds_for(0.0F, b)); \
    return op(a, full({}, b, {.dtype = type, .device = a.device()}));                                             \
  }
#include "ops/typed/compare.def"

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const Node &c = usable("where", condition), &x = usable("where", a), &y = usable("where", b);
  if (c.dtype != DType::u8) throw DTypeError("where", cat("the condition is ", c.dtype, "; wanted u8, as comparisons give it"));
  if (x.dtype != y.dtype) throw DTypeError("where", cat("types differ: ", x.dtype, " and ", y.dtype, "; convert one with to(dtype)"));
  const Shape shape = broadcast_shape("where", broadcast_shape("where", c.shape, x.shape), y.shape);
  const auto whole = [&shape](const Tensor& t) { return t.shape() == shape ? t : broadcast_to(t, shape); };
  const Tensor wide_c = whole(condition), wide_a = whole(a), wide_b = whole(b);
  return apply(ops::where, {&wide_c, &wide_a, &wide_b});
}

Tensor Tensor::to(DType type) const {
  const DType own = usable("to", *this).dtype;
  if (own == type) return *this;
  const auto is_float = [](DType t) { return t == DType::f32 || t == DType::f16; };
  return apply(is_float(own) && is_float(type) ? ops::cast_float : ops::cast, {this}, CastAttrs{own, type});
}

}  // namespace tidepool::inline v0
