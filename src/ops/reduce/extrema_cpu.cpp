// Where the largest stands, and the gradient that goes to the first of them.
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/reduce/extrema_cpu.cpp"
#include <hwy/foreach_target.h>

#include "ops/reduce/fold-inl.h"
#include "ops/reduce/middle-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t columns_at_once = 256;

// work(o, column, width) for stretches of columns; a single one when there are no columns.
template <class Work>
HWY_INLINE void over_columns(const CpuCall& call, const Work& work) {
  const auto& p = call.params<MiddleParams>();
  const std::size_t inner = p.inner, tiles = (inner + columns_at_once - 1) / columns_at_once;
  const std::size_t elements = std::max<std::size_t>(1, p.middle * std::min(inner, columns_at_once));
  call.team->run(p.outer * tiles, std::max<std::size_t>(1, worth / elements), [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t task = begin; task < end; ++task) {
      const std::size_t column = task % tiles * columns_at_once;
      work(task / tiles, column, std::min(columns_at_once, inner - column));
    }
  });
}

template <class T>
void run_argmax_of(const CpuCall& call) {
  const auto& p = call.params<MiddleParams>();
  const auto* x = call.buffer<const T>(0);
  auto* out = call.buffer<std::int32_t>(1);
  over_columns(call, [&](std::size_t o, std::size_t column, std::size_t width) HWY_ATTR {
    const T* from = x + o * p.middle * p.inner + column;
    std::int32_t* at = out + o * p.inner + column;
    if (p.inner == 1) {
      *at = static_cast<std::int32_t>(first_largest(from, p.middle));
      return;
    }
    T best[columns_at_once];
    std::copy_n(from, width, best);
    std::fill_n(at, width, 0);
    for (std::size_t m = 1; m < p.middle; ++m) {
      const T* row = from + m * p.inner;
      for (std::size_t i = 0; i < width; ++i) {
        const bool stays = best[i] >= row[i] || best[i] != best[i];
        best[i] = stays ? best[i] : row[i];
        at[i] = stays ? at[i] : static_cast<std::int32_t>(m);
      }
    }
  });
}

void run_first_tie(const CpuCall& call) {
  const auto& p = call.params<MiddleParams>();
  const auto *x = call.buffer<const float>(0), *y = call.buffer<const float>(1), *d = call.buffer<const float>(2);
  auto* out = call.buffer<float>(3);
  over_columns(call, [&](std::size_t o, std::size_t column, std::size_t width) HWY_ATTR {
    const std::size_t at = o * p.middle * p.inner + column, line = o * p.inner + column;
    if (p.inner == 1) {
      std::size_t m = 0;
      const float best = y[line];
      while (m + 1 < p.middle && !(x[at + m] == best || (x[at + m] != x[at + m] && best != best))) ++m;
      std::fill_n(out + at, p.middle, 0.0F);
      out[at + m] = d[line];
      return;
    }
    float left[columns_at_once];  // what no row has got as yet
    std::copy_n(d + line, width, left);
    for (std::size_t m = 0; m < p.middle; ++m) {
      const float* row = x + at + m * p.inner;
      float* to = out + at + m * p.inner;
      std::size_t i = 0;
      for (; i + lanes <= width; i += lanes) {
        const Truth tie = same(load(row + i), load(y + line + i));
        const Pack rest = load(left + i);
        store(select(tie, rest, 0.0F), to + i);
        store(select(tie, 0.0F, rest), left + i);
      }
      for (; i < width; ++i) {
        const float best = y[line + i];
        const bool tie = row[i] == best || (row[i] != row[i] && best != best);
        to[i] = tie ? left[i] : 0.0F;
        left[i] = tie ? 0.0F : left[i];
      }
    }
  });
}

void run_argmax(const CpuCall& call) { run_argmax_of<float>(call); }
void run_argmax_i32(const CpuCall& call) { run_argmax_of<std::int32_t>(call); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0::reduce_cpu {
void argmax(const CpuCall& call) { TIDEPOOL_RUN(run_argmax, call); }
void argmax_i32(const CpuCall& call) { TIDEPOOL_RUN(run_argmax_i32, call); }
void first_tie(const CpuCall& call) { TIDEPOOL_RUN(run_first_tie, call); }
}  // namespace tidepool::inline v0::reduce_cpu
#endif
