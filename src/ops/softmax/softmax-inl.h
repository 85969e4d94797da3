// Softmax of one row of floats, shared with the losses. Included once for each instruction set.
//
// exp(x - largest) cannot overflow. A row with NaN, with +infinity, or of nothing but -infinity comes out as NaN.
#if defined(TIDEPOOL_SOFTMAX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TIDEPOOL_SOFTMAX_INL_H
#undef TIDEPOOL_SOFTMAX_INL_H
#else
#define TIDEPOOL_SOFTMAX_INL_H
#endif

#include "ops/reduce/fold-inl.h"

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {

// The first `count` lanes, and 0 in the others.
HWY_INLINE Pack first_lanes(Pack a, std::size_t count) { return hn::IfThenElseZero(hn::FirstN(FloatTag(), count), a.v); }

HWY_INLINE float largest_of(const float* x, std::size_t count) { return fold_stretch<Extremum<float, true>>(Plain<float>{x}, 0, count, 0); }

// each(i, count, f(i, count)) for the packs of a row, and the sum of f.
template <class F, class Each>
HWY_INLINE float sum_packs(std::size_t count, const F& f, const Each& each) {
  Pack sum(0.0F);
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t some = HWY_MIN(lanes, count - i);
    const Pack value = f(i, some);
    each(i, some, value);
    sum = sum + (some == lanes ? value : first_lanes(value, some));
  }
  return add_lanes(sum);
}

HWY_INLINE float sum_of_exp(const float* x, std::size_t count, float largest) {
  return sum_packs(
      count, [&](std::size_t i, std::size_t some) HWY_ATTR { return exp(load_some(x + i, some) - Pack(largest)); },
      [](std::size_t, std::size_t, Pack) HWY_ATTR {});
}

}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#endif
