#include "backend/cpu/team.h"
#include "core/half.h"
#include "ops/elementwise/params.h"
#include "ops/typed/typed.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tidepool::inline v0 {

namespace {

constexpr std::size_t grain = 65536;

// The words of integer.def.
constexpr std::uint32_t wrap(std::int32_t x) { return static_cast<std::uint32_t>(x); }
constexpr float number(std::int32_t x) { return static_cast<float>(x); }

// out = f(x, y), broadcast as the parameters say.
template <class In, class Out, class F>
void walk(const CpuCall& call, F&& f) {
  const auto& p = call.params<ElementwiseParams>();
  const auto* x = call.buffer<const In>(0);
  const auto* y = call.buffer<const In>(1);
  auto* out = call.buffer<Out>(2);
  if (p.rank == 0) {
    call.team->run(p.count, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) out[i] = f(x[i], y[i]);
    });
    return;
  }
  const std::size_t inner = p.size[p.rank - 1], step_x = p.stride_x[p.rank - 1], step_y = p.stride_y[p.rank - 1];
  call.team->run(p.count / inner, std::max<std::size_t>(1, grain / inner), [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      std::size_t x_at = 0, y_at = 0, rest = row;
      for (std::size_t axis = p.rank - 1; axis-- > 0;) {
        const std::size_t place = rest % p.size[axis];
        rest /= p.size[axis];
        x_at += place * p.stride_x[axis];
        y_at += place * p.stride_y[axis];
      }
      for (std::size_t i = 0; i < inner; ++i) out[row * inner + i] = f(x[x_at + i * step_x], y[y_at + i * step_y]);
    }
  });
}

template <class From, class To, class F>
void each(const CpuCall& call, std::size_t count, F&& f) {
  const auto* in = call.buffer<const From>(0);
  auto* out = call.buffer<To>(1);
  call.team->run(count, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = f(in[i]);
  });
}

// What does not fit becomes the nearest that does, and NaN becomes 0; u8 then keeps the lowest eight bits, as C does.
std::int32_t to_i32(float value) {
  if (!(value > -2147483648.0F)) return std::isnan(value) ? 0 : std::numeric_limits<std::int32_t>::min();
  return value >= 2147483648.0F ? std::numeric_limits<std::int32_t>::max() : static_cast<std::int32_t>(value);
}

template <class To, class FromFloat, class FromInteger>
void cast_to(const CpuCall& call, FromFloat&& from_float, FromInteger&& from_integer) {
  const std::size_t count = call.params<TypedParams>().count;
  switch (static_cast<DType>(call.params<TypedParams>().from)) {
    case DType::f32:
      return each<float, To>(call, count, from_float);
    case DType::f16:
      return each<std::uint16_t, To>(call, count, [&](std::uint16_t half) { return from_float(half_to_float(half)); });
    case DType::i32:
      return each<std::int32_t, To>(call, count, from_integer);
    case DType::u8:
      return each<std::uint8_t, To>(call, count, [&](std::uint8_t byte) { return from_integer(std::int32_t{byte}); });
  }
}

template <class T>
void choose(const CpuCall& call) {
  const auto* condition = call.buffer<const std::uint8_t>(0);
  const auto* a = call.buffer<const T>(1);
  const auto* b = call.buffer<const T>(2);
  auto* out = call.buffer<T>(3);
  call.team->run(call.params<TypedParams>().count, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = condition[i] ? a[i] : b[i];
  });
}

template <class T>
void keep_chosen(const CpuCall& call) {
  const auto* condition = call.buffer<const std::uint8_t>(0);
  const auto* d = call.buffer<const T>(1);
  auto* out = call.buffer<T>(2);
  const bool keep = call.params<TypedParams>().keep != 0;
  call.team->run(call.params<TypedParams>().count, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = (condition[i] != 0) == keep ? d[i] : T{0};
  });
}

}  // namespace

namespace typed_cpu {

#define COMPARE(name, f)                                                                                      \
  void name##_f32(const CpuCall& call) {                                                                      \
    walk<float, std::uint8_t>(call, [](float x, float y) -> std::uint8_t { return (f) ? 1 : 0; });            \
  }                                                                                                           \
  void name##_i32(const CpuCall& call) {                                                                      \
    walk<std::int32_t, std::uint8_t>(call, [](std::int32_t x, std::int32_t y) -> std::uint8_t { return f; }); \
  }                                                                                                           \
  void name##_u8(const CpuCall& call) {                                                                       \
    walk<std::uint8_t, std::uint8_t>(call, [](std::uint8_t x, std::uint8_t y) -> std::uint8_t { return f; }); \
  }
#include "ops/typed/compare.def"

#define INTEGER_UNARY(name, to, f)                                                                                                 \
  void name(const CpuCall& call) {                                                                                                 \
    each<std::int32_t, to>(call, call.params<ElementwiseParams>().count, [](std::int32_t x) -> to { return static_cast<to>(f); }); \
  }
#define INTEGER_BINARY(name, to, f)                                                                  \
  void name(const CpuCall& call) {                                                                   \
    walk<std::int32_t, to>(call, [](std::int32_t x, std::int32_t y) { return static_cast<to>(f); }); \
  }
#include "ops/typed/integer.def"

void where(const CpuCall& call) {
  switch (size_of(static_cast<DType>(call.params<TypedParams>().from))) {
    case 1:
      return choose<std::uint8_t>(call);
    case 2:
      return choose<std::uint16_t>(call);
    default:
      return choose<std::uint32_t>(call);
  }
}

void mask(const CpuCall& call) {
  const bool halves = static_cast<DType>(call.params<TypedParams>().from) == DType::f16;  // nothing else but f32 has a gradient
  return halves ? keep_chosen<std::uint16_t>(call) : keep_chosen<std::uint32_t>(call);
}

void cast(const CpuCall& call) {
  switch (static_cast<DType>(call.params<TypedParams>().to)) {
    case DType::f32:
      return cast_to<float>(
          call, [](float x) { return x; }, [](std::int32_t x) { return static_cast<float>(x); });
    case DType::f16:
      return cast_to<std::uint16_t>(call, float_to_half, [](std::int32_t x) { return float_to_half(static_cast<float>(x)); });
    case DType::i32:
      return cast_to<std::int32_t>(call, to_i32, [](std::int32_t x) { return x; });
    case DType::u8:
      return cast_to<std::uint8_t>(
          call, [](float x) { return static_cast<std::uint8_t>(to_i32(x)); }, [](std::int32_t x) { return static_cast<std::uint8_t>(x); });
  }
}

}  // namespace typed_cpu

}  // namespace tidepool::inline v0
