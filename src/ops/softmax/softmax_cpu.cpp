#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/softmax/softmax_cpu.cpp"
#include <hwy/foreach_target.h>

#include "ops/reduce/reduce.h"
#include "ops/softmax/softmax-inl.h"
#include "ops/softmax/softmax.h"

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t most_columns = 2048;

// Columns that one piece of work takes. The wider, the more memory is read in order; each thread should have some. Results
// do not depend on it: every column is on its own.
HWY_INLINE std::size_t columns_at_once(const CpuCall& call) {
  const auto& p = call.params<MiddleParams>();
  const std::size_t threads = p.outer > 1 ? 1 : static_cast<std::size_t>(call.team->threads());
  const std::size_t wanted = (p.inner + threads - 1) / threads;
  return std::min(most_columns, (wanted + 63) / 64 * 64);
}

// row(at) for rows that start at element `at`, where the axis is the last; columns(at, width) for stretches of columns else.
template <class Row, class Columns>
HWY_INLINE void over(const CpuCall& call, const Row& row, const Columns& columns) {
  const auto& p = call.params<MiddleParams>();
  const std::size_t middle = p.middle, inner = p.inner, at_once = columns_at_once(call), tiles = (inner + at_once - 1) / at_once;
  const std::size_t elements = middle * std::min(inner, at_once);
  call.team->run(p.outer * tiles, std::max<std::size_t>(1, worth / 4 / elements), [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t task = begin; task < end; ++task) {
      if (inner == 1) {
        row(task * middle);
        continue;
      }
      const std::size_t column = task % tiles * at_once;
      columns(task / tiles * middle * inner + column, std::min(at_once, inner - column));
    }
  });
}

// f(at, i, some) for all packs of a stretch of columns, in rows from `begin` to `end`; i counts from the stretch's first column.
template <class F>
HWY_INLINE void each_pack(const MiddleParams& p, std::size_t at, std::size_t width, std::size_t begin, std::size_t end, const F& f) {
  for (std::size_t m = begin; m < end; ++m)
    for (std::size_t i = 0; i < width; i += lanes) f(at + m * p.inner + i, i, HWY_MIN(lanes, width - i));
}
template <class F>
HWY_INLINE void each_pack(const MiddleParams& p, std::size_t at, std::size_t width, const F& f) {
  each_pack(p, at, width, 0, p.middle, f);
}

struct Columns {  // one value for each; whole packs may be read and written
  HWY_ALIGN float value[most_columns];
  Columns(float start, std::size_t width) { std::fill_n(value, (width + lanes - 1) / lanes * lanes, start); }
  HWY_INLINE Pack at(std::size_t i) const { return load(value + i); }
  HWY_INLINE void set(std::size_t i, Pack pack) { store(pack, value + i); }
};

// The sums of term(at, i, some) over each column; of parts, so that long columns lose nothing.
template <class Term>
HWY_INLINE void add_columns(const MiddleParams& p, std::size_t at, std::size_t width, Columns& sums, const Term& term) {
  for (std::size_t begin = 0; begin < p.middle; begin += longest_part) {
    Columns part(0, width);
    each_pack(p, at, width, begin, std::min<std::size_t>(p.middle, begin + longest_part),
              [&](std::size_t from, std::size_t i, std::size_t some) HWY_ATTR { part.set(i, part.at(i) + term(from, i, some)); });
    for (std::size_t i = 0; i < width; i += lanes) sums.set(i, sums.at(i) + part.at(i));
  }
}

// Largest, and sum of exp(x - largest), of each column; each(at, some, exp) gets the terms.
template <class Each>
HWY_INLINE void column_sums(const MiddleParams& p, const float* x, std::size_t at, std::size_t width, Columns& largest, Columns& sums,
                            const Each& each) {
  using Largest = Extremum<float, true>;
  each_pack(p, at, width, [&](std::size_t from, std::size_t i, std::size_t some) HWY_ATTR {
    largest.set(i, Largest::join(largest.at(i).v, load_some(x + from, some).v));
  });
  add_columns(p, at, width, sums, [&](std::size_t from, std::size_t i, std::size_t some) HWY_ATTR {
    const Pack term = exp(load_some(x + from, some) - largest.at(i));
    each(from, some, term);
    return term;
  });
}

void run_softmax(const CpuCall& call) {
  const auto& p = call.params<MiddleParams>();
  const auto* x = call.buffer<const float>(0);
  auto* y = call.buffer<float>(1);
  over(
      call,
      [&](std::size_t at) HWY_ATTR {
        const Pack largest = largest_of(x + at, p.middle);
        const Pack sum = sum_packs(
            p.middle, [&](std::size_t i, std::size_t some) HWY_ATTR { return exp(load_some(x + at + i, some) - largest); },
            [&](std::size_t i, std::size_t some, Pack e) HWY_ATTR { store_some(e, y + at + i, some); });
        for (std::size_t i = 0; i < p.middle; i += lanes) {
          const std::size_t some = HWY_MIN(lanes, p.middle - i);
          store_some(load_some(y + at + i, some) / sum, y + at + i, some);
        }
      },
      [&](std::size_t at, std::size_t width) HWY_ATTR {
        Columns largest(-std::numeric_limits<float>::infinity(), width), sums(0, width);
        column_sums(p, x, at, width, largest, sums,
                    [&](std::size_t from, std::size_t some, Pack term) HWY_ATTR { store_some(term, y + from, some); });
        each_pack(p, at, width, [&](std::size_t from, std::size_t i, std::size_t some) HWY_ATTR {
          store_some(load_some(y + from, some) / sums.at(i), y + from, some);
        });
      });
}

void run_log_softmax(const CpuCall& call) {
  const auto& p = call.params<MiddleParams>();
  const auto* x = call.buffer<const float>(0);
  auto* y = call.buffer<float>(1);
  over(
      call,
      [&](std::size_t at) HWY_ATTR {
        const float largest = largest_of(x + at, p.middle);
        const Pack log_sum = std::log(sum_of_exp(x + at, p.middle, largest));
        for (std::size_t i = 0; i < p.middle; i += lanes) {
          const std::size_t some = HWY_MIN(lanes, p.middle - i);
          store_some(load_some(x + at + i, some) - Pack(largest) - log_sum, y + at + i, some);
        }
      },
      [&](std::size_t at, std::size_t width) HWY_ATTR {
        Columns largest(-std::numeric_limits<float>::infinity(), width), sums(0, width);
        column_sums(p, x, at, width, largest, sums, [](std::size_t, std::size_t, Pack) HWY_ATTR {});
        for (std::size_t i = 0; i < width; ++i) sums.value[i] = std::log(sums.value[i]);
        each_pack(p, at, width, [&](std::size_t from, std::size_t i, std::size_t some) HWY_ATTR {
          store_some(load_some(x + from, some) - largest.at(i) - sums.at(i), y + from, some);
        });
      });
}

// dx = result(y, dy, sum of term(y, dy) over the axis)
template <class Term, class Result>
HWY_INLINE void gradient(const CpuCall& call, const Term& term, const Result& result) {
  const auto& p = call.params<MiddleParams>();
  const auto *y = call.buffer<const float>(0), *dy = call.buffer<const float>(1);
  auto* dx = call.buffer<float>(2);
  over(
      call,
      [&](std::size_t at) HWY_ATTR {
        const Pack sum = sum_packs(
            p.middle,
            [&](std::size_t i, std::size_t some) HWY_ATTR { return term(load_some(y + at + i, some), load_some(dy + at + i, some)); },
            [](std::size_t, std::size_t, Pack) HWY_ATTR {});
        for (std::size_t i = 0; i < p.middle; i += lanes) {
          const std::size_t some = HWY_MIN(lanes, p.middle - i);
          store_some(result(load_some(y + at + i, some), load_some(dy + at + i, some), sum), dx + at + i, some);
        }
      },
      [&](std::size_t at, std::size_t width) HWY_ATTR {
        Columns sums(0, width);
        add_columns(p, at, width, sums, [&](std::size_t from, std::size_t, std::size_t some) HWY_ATTR {
          return term(load_some(y + from, some), load_some(dy + from, some));
        });
        each_pack(p, at, width, [&](std::size_t from, std::size_t i, std::size_t some) HWY_ATTR {
          store_some(result(load_some(y + from, some), load_some(dy + from, some), sums.at(i)), dx + from, some);
        });
      });
}

void run_softmax_grad(const CpuCall& call) {
  gradient(
      call, [](Pack y, Pack dy) HWY_ATTR { return y * dy; }, [](Pack y, Pack dy, Pack sum) HWY_ATTR { return y * (dy - sum); });
}
void run_log_softmax_grad(const CpuCall& call) {
  gradient(
      call, [](Pack, Pack dy) HWY_ATTR { return dy; }, [](Pack y, Pack dy, Pack sum) HWY_ATTR { return dy - exp(y) * sum; });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0::softmax_cpu {
void softmax(const CpuCall& call) { TIDEPOOL_RUN(run_softmax, call); }
void log_softmax(const CpuCall& call) { TIDEPOOL_RUN(run_log_softmax, call); }
void softmax_grad(const CpuCall& call) { TIDEPOOL_RUN(run_softmax_grad, call); }
void log_softmax_grad(const CpuCall& call) { TIDEPOOL_RUN(run_log_softmax_grad, call); }
}  // namespace tidepool::inline v0::softmax_cpu
#endif
