// Vectors of floats with the words of the .def tables, compiled once for each instruction set (Highway's way: this file
// is included again for every one). Include it between foreach_target.h and HWY_BEFORE_NAMESPACE.
#if defined(TIDEPOOL_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TIDEPOOL_SIMD_INL_H
#undef TIDEPOOL_SIMD_INL_H
#else
#define TIDEPOOL_SIMD_INL_H
#endif

#include <hwy/highway.h>
// The order matters: the functions below use Highway's.
#include <hwy/contrib/math/math-inl.h>

#include <cmath>
#include <cstddef>
#include <limits>

#include "platform/sanitizers.h"

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Long functions are copied into every loop that uses them, unless a file says TIDEPOOL_SIMD_CALLS: with many loops that
// would take minutes to compile. Sanitizers multiply their size, so there they are always called, and so are formulas of tables.
#undef TIDEPOOL_SIMD_FORMULA
#if defined(TIDEPOOL_ADDRESS_SANITIZER) || defined(TIDEPOOL_THREAD_SANITIZER)
#define TIDEPOOL_SIMD_FORMULA HWY_NOINLINE
#else
#define TIDEPOOL_SIMD_FORMULA HWY_INLINE
#endif
#if defined(TIDEPOOL_SIMD_CALLS) || defined(TIDEPOOL_ADDRESS_SANITIZER) || defined(TIDEPOOL_THREAD_SANITIZER)
#define TIDEPOOL_SIMD_FUNCTION [[maybe_unused]] static HWY_NOINLINE
#else
#define TIDEPOOL_SIMD_FUNCTION HWY_INLINE
#endif

using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;
inline constexpr std::size_t lanes = hn::MaxLanes(FloatTag());

struct Pack {
  FloatVector v;
  Pack(FloatVector vector) : v(vector) {}               // NOLINT(google-explicit-constructor)
  Pack(float value) : v(hn::Set(FloatTag(), value)) {}  // NOLINT(google-explicit-constructor): `1.0f + x`
};
struct Truth {
  hn::Mask<FloatTag> m;
};

HWY_INLINE Pack load(const float* from) { return hn::LoadU(FloatTag(), from); }
HWY_INLINE void store(Pack value, float* to) { hn::StoreU(value.v, FloatTag(), to); }
// The first `count` lanes; the others are 0 and touch no memory.
HWY_INLINE Pack load_part(const float* from, std::size_t count) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return hn::MaskedLoad(hn::FirstN(FloatTag(), count), FloatTag(), from);
#else
  HWY_ALIGN float buffer[lanes] = {};
  for (std::size_t i = 0; i < lanes && i < count; ++i) buffer[i] = from[i];
  return hn::Load(FloatTag(), buffer);
#endif
}
HWY_INLINE void store_part(Pack value, float* to, std::size_t count) {
#if HWY_TARGET == HWY_AVX3
  hn::BlendedStore(value.v, hn::FirstN(FloatTag(), count), FloatTag(), to);
#else
  HWY_ALIGN float buffer[lanes];
  hn::Store(value.v, FloatTag(), buffer);
  for (std::size_t i = 0; i < lanes && i < count; ++i) to[i] = buffer[i];
#endif
}

// Up to `lanes` of them.
HWY_INLINE Pack load_some(const float* from, std::size_t count) { return count == lanes ? load(from) : load_part(from, count); }
HWY_INLINE void store_some(Pack value, float* to, std::size_t count) {
  if (count == lanes)
    store(value, to);
  else
    store_part(value, to, count);
}

HWY_INLINE Pack operator+(Pack a, Pack b) { return hn::Add(a.v, b.v); }
HWY_INLINE Pack operator-(Pack a, Pack b) { return hn::Sub(a.v, b.v); }
HWY_INLINE Pack operator*(Pack a, Pack b) { return hn::Mul(a.v, b.v); }
HWY_INLINE Pack operator/(Pack a, Pack b) { return hn::Div(a.v, b.v); }
HWY_INLINE Pack operator-(Pack a) { return hn::Neg(a.v); }
HWY_INLINE Truth operator>(Pack a, Pack b) { return {hn::Gt(a.v, b.v)}; }
HWY_INLINE Truth operator<(Pack a, Pack b) { return {hn::Lt(a.v, b.v)}; }
HWY_INLINE Truth operator>=(Pack a, Pack b) { return {hn::Ge(a.v, b.v)}; }
HWY_INLINE Truth operator<=(Pack a, Pack b) { return {hn::Le(a.v, b.v)}; }
HWY_INLINE Truth operator==(Pack a, Pack b) { return {hn::Eq(a.v, b.v)}; }
HWY_INLINE Pack select(Truth t, Pack a, Pack b) { return hn::IfThenElse(t.m, a.v, b.v); }
HWY_INLINE Pack abs(Pack a) { return hn::Abs(a.v); }
HWY_INLINE Pack sqrt(Pack a) { return hn::Sqrt(a.v); }
// Highway's is made for arguments up to 104, where the result has long been infinite, and not for NaN.
TIDEPOOL_SIMD_FUNCTION Pack exp(Pack a) {
  const Pack limited = select(a > 104.0F, 104.0F, a);
  return select(a == a, hn::Exp(FloatTag(), limited.v), a);
}
// Highway's is made for positive finite arguments.
TIDEPOOL_SIMD_FUNCTION Pack log(Pack a) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const Pack other = select(a == 0.0F, -infinity, select(a < 0.0F, std::numeric_limits<float>::quiet_NaN(), a));
  return select(a > 0.0F, select(a < infinity, hn::Log(FloatTag(), a.v), a), other);
}
TIDEPOOL_SIMD_FUNCTION Pack log1p(Pack a) { return select(a == a, hn::Log1p(FloatTag(), a.v), a); }
// Abramowitz and Stegun 7.1.26: off by at most 1.5e-7. The same in words.glsl.
TIDEPOOL_SIMD_FUNCTION Pack erf(Pack a) {
  const Pack x = abs(a), t = 1.0F / (1.0F + 0.3275911F * x);
  const Pack sum = t * (0.254829592F + t * (-0.284496736F + t * (1.421413741F + t * (-1.453152027F + t * 1.061405429F))));
  const Pack y = 1.0F - sum * exp(-(x * x));
  return select(a < 0.0F, -y, y);
}
template <class F>
HWY_INLINE Pack lane_by_lane(Pack a, F&& f) {
  HWY_ALIGN float values[lanes];
  hn::Store(a.v, FloatTag(), values);
  for (float& value : values) value = f(value);
  return hn::Load(FloatTag(), values);
}
// The C library's is exact where exp(b * log(a)) is not. All lanes have the same exponent.
TIDEPOOL_SIMD_FUNCTION Pack power(Pack a, Pack b) {
  const float exponent = hn::GetLane(b.v);
  return lane_by_lane(a, [exponent](float base) { return std::pow(base, exponent); });
}
HWY_INLINE Pack fma(Pack a, Pack b, Pack c) { return hn::MulAdd(a.v, b.v, c.v); }
// A quotient of polynomials with the least relative error up to 9.05 (2.2e-8, and 3.3e-7 with what rounding adds): by an
// exponential the ten operations of bench/compare took 490 µs, not 290. From 9.03 on it is 1, so that its gradient is 0.
TIDEPOOL_SIMD_FUNCTION Pack tanh(Pack a) {
  const Pack x = hn::Min(hn::Max(a.v, hn::Set(FloatTag(), -9.03F)), hn::Set(FloatTag(), 9.03F)), s = x * x;
  const Pack above = fma(fma(fma(fma(1.3267529e-8F, s, 2.0546468e-5F), s, 0.003491792F), s, 0.13377832F), s, 1.0F);
  const Pack below = fma(fma(fma(fma(7.740981e-7F, s, 0.00032794208F), s, 0.025862547F), s, 0.46711147F), s, 1.0F);
  const Pack quotient = x * above / below;
  return select(a == a, hn::Min(hn::Max(quotient.v, hn::Set(FloatTag(), -1.0F)), hn::Set(FloatTag(), 1.0F)), a);
}
// Highway's are made for arguments up to 39,000. What a lane gives does not depend on its neighbours.
TIDEPOOL_SIMD_FUNCTION Pack sin(Pack a) {
  const Truth small = abs(a) < 39000.0F;
  const Pack quick = hn::Sin(FloatTag(), a.v);
  if (hn::AllTrue(FloatTag(), small.m)) return quick;
  return select(small, quick, lane_by_lane(a, [](float x) { return std::sin(x); }));
}
TIDEPOOL_SIMD_FUNCTION Pack cos(Pack a) {
  const Truth small = abs(a) < 39000.0F;
  const Pack quick = hn::Cos(FloatTag(), a.v);
  if (hn::AllTrue(FloatTag(), small.m)) return quick;
  return select(small, quick, lane_by_lane(a, [](float x) { return std::cos(x); }));
}
HWY_INLINE float add_lanes(Pack a) { return hn::GetLane(hn::SumOfLanes(FloatTag(), a.v)); }

}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();
#undef TIDEPOOL_SIMD_FUNCTION

#endif
