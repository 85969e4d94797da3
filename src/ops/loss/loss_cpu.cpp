// Kernels of the losses in loss.def.
#define TIDEPOOL_SIMD_CALLS
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/loss_cpu.cpp"
#include <hwy/foreach_target.h>

#include "ops/loss/loss.h"
#include "ops/reduce/fold-inl.h"
#include "ops/reduce/middle-inl.h"

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(), not_a_number = std::numeric_limits<float>::quiet_NaN();

HWY_INLINE Pack sign(Pack x) { return select(x > 0.0F, 1.0F, select(x < 0.0F, -1.0F, 0.0F)); }  // of NaN 0, as PyTorch's
HWY_INLINE Pack huber(Pack x) {
  const Pack size = abs(x);
  return select(size < 1.0F, 0.5F * x * x, size - 0.5F);
}
HWY_INLINE Pack limited(Pack x) { return select(x > 1.0F, 1.0F, select(x < -1.0F, -1.0F, x)); }
HWY_INLINE Pack larger(Pack x, Pack y) { return select(x < y, y, x); }
HWY_INLINE Pack not_below_100(Pack x) { return larger(x, -100.0F); }
HWY_INLINE Pack log_rest(Pack x) {  // log(1 - x)
  return select(x < 1.0F, log1p(-x), select(x == 1.0F, -infinity, not_a_number));
}
HWY_INLINE Pack log_sigmoid(Pack x) { return select(x < 0.0F, x, select(x >= 0.0F, 0.0F, x)) - log1p(exp(-abs(x))); }

template <class F>
struct Pairs {
  const float *p, *t;
  HWY_INLINE FloatVector along(std::size_t i, std::size_t) const { return F()(load(p + i), load(t + i)).v; }
  HWY_INLINE FloatVector across(std::size_t i, std::size_t) const { return along(i, 0); }
  HWY_INLINE float one(std::size_t i, std::size_t) const { return hn::GetLane(F()(Pack(p[i]), Pack(t[i])).v); }
  static constexpr bool groups = true;
};

template <class F>
HWY_INLINE void mean_of(const CpuCall& call) {
  const auto& params = call.params<FoldParams>();
  fold<Adding<float>>(call, params.cut(), Pairs<F>{call.buffer<const float>(0), call.buffer<const float>(1)}, call.buffer<float>(2),
                      [&](float value) { return value / params.divisor; });
}

template <class F>
HWY_INLINE void each_pair(const CpuCall& call, std::size_t count, float* out, const F& f) {
  const auto *p = call.buffer<const float>(0), *t = call.buffer<const float>(1);
  call.team->run(count, worth, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    each_of_three(p + begin, t + begin, t + begin, out + begin, end - begin, [&](Pack x, Pack y, Pack) HWY_ATTR { return f(x, y); });
  });
}

template <class F>
HWY_INLINE void gradient_of(const CpuCall& call) {
  const auto& params = call.params<LossParams>();
  const Pack scale = *call.buffer<const float>(2) * params.scale;
  each_pair(call, params.count, call.buffer<float>(3), [&](Pack p, Pack t) HWY_ATTR { return scale * F()(p, t); });
}

#define LOSS(name, f, dp, dt)                                                                                    \
  struct name##_f {                                                                                              \
    TIDEPOOL_SIMD_FORMULA Pack operator()(Pack p, Pack t) const { return f; }                                    \
  };                                                                                                             \
  struct name##_dp {                                                                                             \
    TIDEPOOL_SIMD_FORMULA Pack operator()([[maybe_unused]] Pack p, [[maybe_unused]] Pack t) const { return dp; } \
  };                                                                                                             \
  struct name##_dt {                                                                                             \
    TIDEPOOL_SIMD_FORMULA Pack operator()([[maybe_unused]] Pack p, [[maybe_unused]] Pack t) const { return dt; } \
  };                                                                                                             \
  void run_##name(const CpuCall& call) { mean_of<name##_f>(call); }                                              \
  void run_##name##_grad_p(const CpuCall& call) { gradient_of<name##_dp>(call); }                                \
  void run_##name##_grad_t(const CpuCall& call) { gradient_of<name##_dt>(call); }
#include "ops/loss/loss.def"

void run_difference(const CpuCall& call) {
  const auto& params = call.params<LossParams>();
  const Pack scale = params.scale;
  each_pair(call, params.count, call.buffer<float>(2), [&](Pack p, Pack t) HWY_ATTR { return scale * (p - t); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0::loss_cpu {
#define LOSS(name, f, dp, dt)                                                          \
  void name(const CpuCall& call) { TIDEPOOL_RUN(run_##name, call); }                   \
  void name##_grad_p(const CpuCall& call) { TIDEPOOL_RUN(run_##name##_grad_p, call); } \
  void name##_grad_t(const CpuCall& call) { TIDEPOOL_RUN(run_##name##_grad_t, call); }
#include "ops/loss/loss.def"
void difference(const CpuCall& call) { TIDEPOOL_RUN(run_difference, call); }
}  // namespace tidepool::inline v0::loss_cpu
#endif
