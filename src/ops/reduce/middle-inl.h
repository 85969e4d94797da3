// Work on every element of [outer, middle, inner] with two inputs that stay along the middle ("lines"). Included once for
// each instruction set, after simd-inl.h.
#if defined(TIDEPOOL_MIDDLE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TIDEPOOL_MIDDLE_INL_H
#undef TIDEPOOL_MIDDLE_INL_H
#else
#define TIDEPOOL_MIDDLE_INL_H
#endif

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "ops/reduce/reduce.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {

HWY_INLINE Truth same(Pack x, Pack y) {  // NaN and NaN too
  const auto numbers = hn::Eq(x.v, y.v);
  return {hn::Or(numbers, hn::And(hn::Ne(x.v, x.v), hn::Ne(y.v, y.v)))};
}

// f(x) for `count` elements.
template <class F>
HWY_INLINE void each_of_stretch(const float* x, float* out, std::size_t count, const F& f) {
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) store(f(load(x + i)), out + i);
  if (i < count) store_part(f(load_part(x + i, count - i)), out + i, count - i);
}
template <class F>
HWY_INLINE void each_of_three(const float* x, const float* a, const float* b, float* out, std::size_t count, const F& f) {
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) store(f(load(x + i), load(a + i), load(b + i)), out + i);
  if (const std::size_t rest = count - i; rest > 0)
    store_part(f(load_part(x + i, rest), load_part(a + i, rest), load_part(b + i, rest)), out + i, rest);
}

// A row of columns with its lines; narrow ones are repeated, so that several rows are one longer stretch.
class Lines {
 public:
  Lines(const float* a, const float* b, std::size_t inner) : a_(a), b_(b), width_(inner) {
    if (inner >= narrow) return;
    width_ = narrow / inner * inner;
    for (std::size_t i = 0; i < width_; ++i) {
      wide_a_[i] = a[i % inner];
      wide_b_[i] = b[i % inner];
    }
    a_ = wide_a_;
    b_ = wide_b_;
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  template <class F>
  HWY_INLINE void run(const float* x, float* out, std::size_t count, const F& f) const {
    for (std::size_t i = 0; i < count; i += width_) each_of_three(x + i, a_, b_, out + i, std::min(width_, count - i), f);
  }

 private:
  static constexpr std::size_t narrow = 128;
  const float *a_, *b_;
  std::size_t width_;
  float wide_a_[narrow], wide_b_[narrow];
};

// out[o, m, i] = f(x[o, m, i], a[o, i], b[o, i]), bindings in this order.
template <class F>
HWY_INLINE void each_with_lines(const CpuCall& call, const F& f) {
  const auto& p = call.params<MiddleParams>();
  const auto *x = call.buffer<const float>(0), *a = call.buffer<const float>(1), *b = call.buffer<const float>(2);
  auto* out = call.buffer<float>(3);
  constexpr std::size_t piece = 16384;  // elements
  const std::size_t outer = p.middle == 1 ? 1 : p.outer, inner = p.middle == 1 ? std::size_t{p.outer} * p.inner : p.inner;
  if (p.middle == 1) {
    call.team->run(inner, 2 * piece, [&](std::size_t begin, std::size_t end) HWY_ATTR {
      each_of_three(x + begin, a + begin, b + begin, out + begin, end - begin, f);
    });
    return;
  }
  const std::size_t rows = std::max<std::size_t>(1, piece / inner), pieces = (p.middle + rows - 1) / rows;
  call.team->run(outer * pieces, std::max<std::size_t>(1, 2 * piece / (std::min<std::size_t>(rows, p.middle) * inner)),
                 [&](std::size_t begin_task, std::size_t end_task) HWY_ATTR {
                   for (std::size_t task = begin_task; task < end_task; ++task) {
                     const std::size_t o = task / pieces, begin = task % pieces * rows, end = std::min<std::size_t>(begin + rows, p.middle);
                     const std::size_t at = (o * p.middle + begin) * inner, count = (end - begin) * inner;
                     if (inner == 1) {
                       const Pack still_a = a[o], still_b = b[o];
                       each_of_stretch(x + at, out + at, count, [&](Pack value) HWY_ATTR { return f(value, still_a, still_b); });
                     } else {
                       Lines(a + o * inner, b + o * inner, inner).run(x + at, out + at, count, f);
                     }
                   }
                 });
}

}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#endif
