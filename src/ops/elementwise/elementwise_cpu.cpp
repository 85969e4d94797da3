// CPU kernels of the elementwise tables. Rows are loops over the innermost collapsed axis, along which every input either
// moves with the output or stays where it is.
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/elementwise/elementwise_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/params.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t grain = 32768;  // elements that are worth a thread

struct Numbers {  // what the tables call p
  Pack a, b;
};

// One input of a row: a pointer that moves, or a value that stays.
struct Moving {
  const float* from;
  HWY_INLINE Pack at(std::size_t i) const { return load(from + i); }
  HWY_INLINE Pack part(std::size_t i, std::size_t count) const { return load_part(from + i, count); }
};
struct Still {
  Pack value;
  HWY_INLINE Pack at(std::size_t) const { return value; }
  HWY_INLINE Pack part(std::size_t, std::size_t) const { return value; }
};

// `f` is a copy, so that its numbers stay in registers: what is written could be they, for all that the compiler knows.
template <class F, class... In>
HWY_INLINE void row(const F f, float* out, std::size_t count, const In&... in) {
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) store(f(in.at(i)...), out + i);
  if (i < count) store_part(f(in.part(i, count - i)...), out + i, count - i);
}

// out = f(in…), all of one shape.
template <std::size_t inputs, class F>
HWY_INLINE void flat(const CpuCall& call, const F& f) {
  const auto& p = call.params<ElementwiseParams>();
  call.team->run(p.count, grain, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    const auto in = [&](std::size_t k) HWY_ATTR { return Moving{call.buffer<const float>(k) + begin}; };
    float* out = call.buffer<float>(inputs) + begin;
    if constexpr (inputs == 1)
      row(f, out, end - begin, in(0));
    else if constexpr (inputs == 2)
      row(f, out, end - begin, in(0), in(1));
    else
      row(f, out, end - begin, in(0), in(1), in(2));
  });
}

// A row of x and y, which may stay, after the inputs `first…` that move.
template <class F, class... First>
HWY_INLINE void broadcast_row(const F& f, float* out, std::size_t count, const float* x, bool x_moves, const float* y, bool y_moves,
                              const First&... first) {
  if (x_moves && y_moves)
    row(f, out, count, first..., Moving{x}, Moving{y});
  else if (x_moves)
    row(f, out, count, first..., Moving{x}, Still{*y});
  else
    row(f, out, count, first..., Still{*x}, Moving{y});
}

// out = f([d,] x, y) where x and y are broadcast; d, when there is one, has the output's shape.
template <bool with_d, class F>
HWY_INLINE void broadcast(const CpuCall& call, const F& f) {
  const auto& p = call.params<ElementwiseParams>();
  constexpr std::size_t first = with_d ? 1 : 0;
  const float* d = call.buffer<const float>(0);
  const float* x = call.buffer<const float>(first);
  const float* y = call.buffer<const float>(first + 1);
  float* out = call.buffer<float>(first + 2);
  const std::size_t inner = p.size[p.rank - 1], rows = p.count / inner;
  const bool x_moves = p.stride_x[p.rank - 1] != 0, y_moves = p.stride_y[p.rank - 1] != 0;
  const auto piece = [&](std::size_t at, std::size_t row_index, std::size_t begin, std::size_t count) HWY_ATTR {
    std::size_t x_at = 0, y_at = 0;
    for (std::size_t axis = p.rank - 1; axis-- > 0;) {
      const std::size_t place = row_index % p.size[axis];
      row_index /= p.size[axis];
      x_at += place * p.stride_x[axis];
      y_at += place * p.stride_y[axis];
    }
    x_at += x_moves ? begin : 0;
    y_at += y_moves ? begin : 0;
    if constexpr (with_d)
      broadcast_row(f, out + at, count, x + x_at, x_moves, y + y_at, y_moves, Moving{d + at});
    else
      broadcast_row(f, out + at, count, x + x_at, x_moves, y + y_at, y_moves);
  };
  if (rows == 1) {
    call.team->run(inner, grain, [&](std::size_t begin, std::size_t end) HWY_ATTR { piece(begin, 0, begin, end - begin); });
  } else {
    call.team->run(rows, std::max<std::size_t>(1, grain / inner), [&](std::size_t begin, std::size_t end) HWY_ATTR {
      for (std::size_t r = begin; r < end; ++r) piece(r * inner, r, 0, inner);
    });
  }
}

template <class F>
HWY_INLINE void two(const CpuCall& call, const F& f) {
  if (call.params<ElementwiseParams>().rank == 0)
    flat<2>(call, f);
  else
    broadcast<false>(call, f);
}
template <class F>
HWY_INLINE void three(const CpuCall& call, const F& f) {
  if (call.params<ElementwiseParams>().rank == 0)
    flat<3>(call, f);
  else
    broadcast<true>(call, f);
}

#define UNARY(name, f, df)                                                                                        \
  void run_##name(const CpuCall& call) {                                                                          \
    [[maybe_unused]] const Numbers p{call.params<ElementwiseParams>().a, call.params<ElementwiseParams>().b};     \
    flat<1>(call, [=](Pack x) HWY_ATTR -> Pack { return f; });                                                    \
  }                                                                                                               \
  void run_##name##_grad(const CpuCall& call) {                                                                   \
    [[maybe_unused]] const Numbers p{call.params<ElementwiseParams>().a, call.params<ElementwiseParams>().b};     \
    flat<3>(call, [=](Pack d, [[maybe_unused]] Pack x, [[maybe_unused]] Pack y) HWY_ATTR -> Pack { return df; }); \
  }
#include "ops/elementwise/unary.def"

#define BINARY(name, f, dfx, dfy)                                                                               \
  void run_##name(const CpuCall& call) {                                                                        \
    two(call, [](Pack x, Pack y) HWY_ATTR -> Pack { return f; });                                               \
  }                                                                                                             \
  void run_##name##_grad_x(const CpuCall& call) {                                                               \
    three(call, [](Pack d, [[maybe_unused]] Pack x, [[maybe_unused]] Pack y) HWY_ATTR -> Pack { return dfx; }); \
  }                                                                                                             \
  void run_##name##_grad_y(const CpuCall& call) {                                                               \
    three(call, [](Pack d, [[maybe_unused]] Pack x, [[maybe_unused]] Pack y) HWY_ATTR -> Pack { return dfy; }); \
  }
#include "ops/elementwise/binary.def"

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0 {
namespace elementwise_cpu {

#define UNARY(name, f, df)                                           \
  void name(const CpuCall& call) { TIDEPOOL_RUN(run_##name, call); } \
  void name##_grad(const CpuCall& call) { TIDEPOOL_RUN(run_##name##_grad, call); }
#include "ops/elementwise/unary.def"

#define BINARY(name, f, dfx, dfy)                                                      \
  void name(const CpuCall& call) { TIDEPOOL_RUN(run_##name, call); }                   \
  void name##_grad_x(const CpuCall& call) { TIDEPOOL_RUN(run_##name##_grad_x, call); } \
  void name##_grad_y(const CpuCall& call) { TIDEPOOL_RUN(run_##name##_grad_y, call); }
#include "ops/elementwise/binary.def"

}  // namespace elementwise_cpu
}  // namespace tidepool::inline v0
#endif
