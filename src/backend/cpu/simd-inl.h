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

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
#if HWY_TARGET == HWY_AVX2
  return hn::MaskedLoad(hn::FirstN(FloatTag(), count), FloatTag(), from);
#else
  HWY_ALIGN float buffer[lanes] = {};
  for (std::size_t i = 0; i < lanes && i < count; ++i) buffer[i] = from[i];
  return hn::Load(FloatTag(), buffer);
#endif
}
HWY_INLINE void store_part(Pack value, float* to, std::size_t count) {
  HWY_ALIGN float buffer[lanes];
  hn::Store(value.v, FloatTag(), buffer);
  for (std::size_t i = 0; i < lanes && i < count; ++i) to[i] = buffer[i];
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
HWY_INLINE Pack exp(Pack a) {
  const Pack limited = select(a > 104.0F, 104.0F, a);
  return select(a == a, hn::Exp(FloatTag(), limited.v), a);
}
HWY_INLINE Pack log(Pack a) { return hn::Log(FloatTag(), a.v); }
HWY_INLINE Pack tanh(Pack a) { return hn::Tanh(FloatTag(), a.v); }
HWY_INLINE Pack sin(Pack a) { return hn::Sin(FloatTag(), a.v); }
HWY_INLINE Pack cos(Pack a) { return hn::Cos(FloatTag(), a.v); }
HWY_INLINE Pack fma(Pack a, Pack b, Pack c) { return hn::MulAdd(a.v, b.v, c.v); }
HWY_INLINE float add_lanes(Pack a) { return hn::GetLane(hn::SumOfLanes(FloatTag(), a.v)); }

}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#endif
