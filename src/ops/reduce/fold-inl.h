// Folds over the middle of [outer, middle, inner] for float and int32_t: sums, largest, smallest. Included once for each
// instruction set, after simd-inl.h.
//
// A Fold says how two values join; a Source where the values come from, `along` a stretch or `across` columns.
#if defined(TIDEPOOL_FOLD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TIDEPOOL_FOLD_INL_H
#undef TIDEPOOL_FOLD_INL_H
#else
#define TIDEPOOL_FOLD_INL_H
#endif

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "ops/reduce/reduce.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {

template <class T>
using Vector = hn::Vec<hn::ScalableTag<T>>;
template <class T>
HWY_INLINE Vector<T> load_of(const T* from) {
  return hn::LoadU(hn::ScalableTag<T>(), from);
}

template <class T>
struct Adding {
  using Element = T;
  static constexpr T start = 0;
  static HWY_INLINE Vector<T> join(Vector<T> a, Vector<T> b) { return hn::Add(a, b); }
  static HWY_INLINE T join(T a, T b) {
    if constexpr (std::is_same_v<T, float>)
      return a + b;
    else  // whole numbers wrap around
      return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
};

template <class T, bool largest>
struct Extremum {
  using Element = T;
  static constexpr T start = std::is_same_v<T, float> ? (largest ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity())
                                                      : (largest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max());
  // The first stays where it is as good, or NaN.
  static HWY_INLINE Vector<T> join(Vector<T> a, Vector<T> b) {
    if constexpr (std::is_same_v<T, float>) {
      const auto better = largest ? hn::Ge(a, b) : hn::Le(a, b);
      return hn::IfThenElse(hn::Or(better, hn::Ne(a, a)), a, b);
    } else {
      return largest ? hn::Max(a, b) : hn::Min(a, b);
    }
  }
  static HWY_INLINE T join(T a, T b) { return (largest ? a >= b : a <= b) || a != a ? a : b; }
};

template <class T>
struct Plain {
  const T* x;
  HWY_INLINE Vector<T> along(std::size_t i, std::size_t) const { return load_of(x + i); }
  HWY_INLINE Vector<T> across(std::size_t i, std::size_t) const { return load_of(x + i); }
  HWY_INLINE T one(std::size_t i, std::size_t) const { return x[i]; }
  static constexpr bool groups = true;  // whether columns may be read as part of wider rows
};

struct Squares {
  const float* x;
  HWY_INLINE FloatVector along(std::size_t i, std::size_t) const { return (load(x + i) * load(x + i)).v; }
  HWY_INLINE FloatVector across(std::size_t i, std::size_t) const { return along(i, 0); }
  HWY_INLINE float one(std::size_t i, std::size_t) const { return x[i] * x[i]; }
  static constexpr bool groups = true;
};

struct Deviations {
  const float *x, *mean;
  HWY_INLINE FloatVector along(std::size_t i, std::size_t line) const {
    const Pack d = load(x + i) - Pack(mean[line]);
    return (d * d).v;
  }
  HWY_INLINE FloatVector across(std::size_t i, std::size_t column) const {
    const Pack d = load(x + i) - load(mean + column);
    return (d * d).v;
  }
  HWY_INLINE float one(std::size_t i, std::size_t column) const { return (x[i] - mean[column]) * (x[i] - mean[column]); }
  static constexpr bool groups = false;
};

#if HWY_TARGET != HWY_SCALAR
// One half with the other, until one is left.
template <class Half, class V>
HWY_INLINE auto add_halves(Half, V v) {
  const auto half = hn::Add(hn::LowerHalf(Half(), v), hn::UpperHalf(Half(), v));
  if constexpr (hn::MaxLanes(Half()) == 1)
    return hn::GetLane(half);
  else
    return add_halves(hn::Half<Half>(), half);
}
#endif

template <class Fold>
HWY_INLINE typename Fold::Element join_lanes(Vector<typename Fold::Element> v) {
  using T = typename Fold::Element;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<Fold, Adding<float>>) return add_halves(hn::Half<FloatTag>(), v);
#endif
  HWY_ALIGN T buffer[lanes];
  hn::Store(v, hn::ScalableTag<T>(), buffer);
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) buffer[i] = Fold::join(buffer[i], buffer[i + half]);
  return buffer[0];
}

// Elements [begin, begin + count), in four vectors side by side. `line` is where values stand that stay along the stretch.
template <class Fold, class Source>
HWY_INLINE typename Fold::Element fold_stretch(const Source& source, std::size_t begin, std::size_t count, std::size_t line) {
  using T = typename Fold::Element;
  std::size_t i = begin;
  const std::size_t end = begin + count;
  T result = Fold::start;
  if (count >= lanes) {
    Vector<T> a = hn::Set(hn::ScalableTag<T>(), Fold::start), b = a, c = a, d = a;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      a = Fold::join(a, source.along(i, line));
      b = Fold::join(b, source.along(i + lanes, line));
      c = Fold::join(c, source.along(i + 2 * lanes, line));
      d = Fold::join(d, source.along(i + 3 * lanes, line));
    }
    a = Fold::join(Fold::join(a, b), Fold::join(c, d));
    for (; i + lanes <= end; i += lanes) a = Fold::join(a, source.along(i, line));
    result = join_lanes<Fold>(a);
  }
  for (; i < end; ++i) result = Fold::join(result, source.one(i, line));
  return result;
}

// Where the largest of a stretch stands, the first of several; NaN is larger than all.
template <class T>
HWY_INLINE std::size_t first_largest(const T* x, std::size_t count) {
  const T best = fold_stretch<Extremum<T, true>>(Plain<T>{x}, 0, count, 0);
  std::size_t i = 0;
  if (best != best)
    while (x[i] == x[i]) ++i;
  else
    while (x[i] != best) ++i;
  return i;
}

// Joins `rows` rows of `width` elements, `step` apart, into `sums`: four rows at a time, so that memory is read in order
// and the sums stay in the nearest cache.
template <class Fold, class Source>
HWY_INLINE void fold_rows(const Source& source, std::size_t begin, std::size_t rows, std::size_t step, std::size_t width,
                          std::size_t column, typename Fold::Element* sums) {
  using T = typename Fold::Element;
  const hn::ScalableTag<T> tag;
  std::size_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    const std::size_t r0 = begin + row * step, r1 = r0 + step, r2 = r1 + step, r3 = r2 + step;
    std::size_t i = 0;
    for (; i + lanes <= width; i += lanes) {
      const std::size_t c = column + i;
      const auto four = Fold::join(Fold::join(source.across(r0 + i, c), source.across(r1 + i, c)),
                                   Fold::join(source.across(r2 + i, c), source.across(r3 + i, c)));
      hn::StoreU(Fold::join(hn::LoadU(tag, sums + i), four), tag, sums + i);
    }
    for (; i < width; ++i) {
      const std::size_t c = column + i;
      const T four =
          Fold::join(Fold::join(source.one(r0 + i, c), source.one(r1 + i, c)), Fold::join(source.one(r2 + i, c), source.one(r3 + i, c)));
      sums[i] = Fold::join(sums[i], four);
    }
  }
  for (; row < rows; ++row) {
    const std::size_t r0 = begin + row * step;
    std::size_t i = 0;
    for (; i + lanes <= width; i += lanes)
      hn::StoreU(Fold::join(hn::LoadU(tag, sums + i), source.across(r0 + i, column + i)), tag, sums + i);
    for (; i < width; ++i) sums[i] = Fold::join(sums[i], source.one(r0 + i, column + i));
  }
}

constexpr std::size_t tile = 1024;    // columns that one piece of work takes
constexpr std::size_t narrow = 64;    // rows shorter than this are read several at once, as one wider row
constexpr std::size_t worth = 32768;  // elements that are worth a thread

// Columns [column, column + width) of rows [row, row + rows); `sums` has room for a tile.
template <class Fold, class Source>
HWY_INLINE void fold_columns(const Source& source, std::size_t begin, std::size_t rows, std::size_t step, std::size_t width,
                             std::size_t column, typename Fold::Element* sums) {
  const std::size_t group = Source::groups && step == width && step < narrow ? narrow / step + 1 : 1;
  std::fill_n(sums, group * width, Fold::start);
  const std::size_t whole = rows / group;
  fold_rows<Fold>(source, begin, whole, group * step, group * width, column, sums);
  for (std::size_t g = 1; g < group; ++g)
    for (std::size_t i = 0; i < width; ++i) sums[i] = Fold::join(sums[i], sums[g * width + i]);
  fold_rows<Fold>(source, begin + whole * group * step, rows - whole * group, step, width, column, sums);
}

// out[o, part, i] = finish(fold over the part of source[o, m, i])
template <class Fold, class Source, class Finish>
HWY_INLINE void fold(const CpuCall& call, const ReduceParams& p, const Source& source, typename Fold::Element* out, const Finish& finish) {
  const std::size_t inner = p.inner, tiles = (inner + tile - 1) / tile, rows = static_cast<std::size_t>(p.outer) * p.parts;
  const std::size_t work = std::min<std::size_t>(p.per_part, p.middle) * std::min(inner, tile);
  const std::size_t grain = std::max<std::size_t>(1, worth / std::max<std::size_t>(1, work));
  if (inner == 1 && p.parts == 1) {  // short stretches by the million: no division for each
    call.team->run(rows, grain, [&](std::size_t begin, std::size_t end) HWY_ATTR {
      for (std::size_t row = begin; row < end; ++row) out[row] = finish(fold_stretch<Fold>(source, row * p.middle, p.middle, row));
    });
    return;
  }
  call.team->run(rows * tiles, grain, [&](std::size_t begin_task, std::size_t end_task) HWY_ATTR {
    typename Fold::Element sums[tile];
    for (std::size_t task = begin_task; task < end_task; ++task) {
      const std::size_t row = task / tiles, column = task % tiles * tile, width = std::min(tile, inner - column);
      const std::size_t outer = row / p.parts, part = row % p.parts;
      const std::size_t begin = part * p.per_part, count = std::min<std::size_t>(p.per_part, p.middle - begin);
      const std::size_t from = (outer * p.middle + begin) * inner + column;
      if (inner == 1) {
        out[row] = finish(fold_stretch<Fold>(source, from, count, outer));
        continue;
      }
      fold_columns<Fold>(source, from, count, inner, width, outer * inner + column, sums);
      for (std::size_t i = 0; i < width; ++i) out[row * inner + column + i] = finish(sums[i]);
    }
  });
}

// The launch of a kernel that only folds.
template <class Fold>
HWY_INLINE void run_fold(const CpuCall& call) {
  using T = typename Fold::Element;
  fold<Fold>(call, call.params<ReduceParams>(), Plain<T>{call.buffer<const T>(0)}, call.buffer<T>(1), [](T value) { return value; });
}

}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#endif
