#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/update/update_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/flush_denormals.h"
#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "ops/update/update.h"

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE void adam(const CpuCall& call, float size, float correction, float lr) {
  const auto& p = call.params<AdamParams>();
  auto* w = call.buffer<float>(0);
  const auto* g = call.buffer<const float>(1);
  auto* m = call.buffer<float>(2);
  auto* v = call.buffer<float>(3);
  const Pack beta1 = p.beta1, beta2 = p.beta2, rest1 = p.rest1, rest2 = p.rest2, eps = p.eps, step_size = size, correction2 = correction;
  const Pack joined = p.decoupled ? 0.0F : p.weight_decay, kept = p.decoupled ? 1.0F - lr * p.weight_decay : 1.0F;
  call.team->run(p.count, 16384, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    const FlushDenormals flush;
    for (std::size_t i = begin; i < end; i += lanes) {
      const std::size_t some = HWY_MIN(lanes, end - i);
      Pack weight = load_some(w + i, some), mean = load_some(m + i, some), square = load_some(v + i, some);
      const Pack gradient = load_some(g + i, some) + joined * weight;
      mean = beta1 * mean + rest1 * gradient;
      square = beta2 * square + rest2 * gradient * gradient;
      weight = kept * weight - step_size * mean / (sqrt(square) * correction2 + eps);
      store_some(weight, w + i, some);
      store_some(mean, m + i, some);
      store_some(square, v + i, some);
    }
  });
}

void run_adam(const CpuCall& call) {
  const auto& p = call.params<AdamParams>();
  adam(call, p.step_size, p.correction2, 0);
}

void run_adam_rates(const CpuCall& call) {
  const Rates& rates = *call.buffer<const Rates>(4);
  adam(call, rates.lr / rates.correction1, 1.0F / std::sqrt(rates.correction2), rates.lr);
}

// f(weight, gradient, velocity) changes the first and the last; without velocities w stands in for them.
template <bool with_velocity, class F>
HWY_INLINE void each_weight(const CpuCall& call, std::size_t count, const F& f) {
  auto* w = call.buffer<float>(0);
  const auto* g = call.buffer<const float>(1);
  float* v = with_velocity ? call.buffer<float>(2) : w;
  call.team->run(count, 16384, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    const FlushDenormals flush;
    for (std::size_t i = begin; i < end; i += lanes) {
      const std::size_t some = HWY_MIN(lanes, end - i);
      Pack weight = load_some(w + i, some), velocity = load_some(v + i, some);
      f(weight, load_some(g + i, some), velocity);
      store_some(weight, w + i, some);
      if (with_velocity) store_some(velocity, v + i, some);
    }
  });
}

void run_sgd(const CpuCall& call) {
  const auto& p = call.params<SgdParams>();
  const Pack lr = p.lr, decay = p.weight_decay;
  each_weight<false>(call, p.count,
                     [&](Pack& weight, Pack gradient, Pack&) HWY_ATTR { weight = weight - lr * (gradient + decay * weight); });
}

// What is left of a velocity. Without momentum that is nothing, also of infinity, or one bad gradient would stay for good.
HWY_INLINE Pack kept_of(Pack velocity, float momentum) {
  const Pack kept = Pack(momentum) * velocity;
  return momentum == 0.0F ? select(kept == kept, kept, 0.0F) : kept;
}

HWY_INLINE void sgd_momentum(const CpuCall& call, float rate) {
  const auto& p = call.params<SgdParams>();
  const Pack lr = rate, decay = p.weight_decay, momentum = p.momentum;
  each_weight<true>(call, p.count, [&](Pack& weight, Pack gradient, Pack& velocity) HWY_ATTR {
    gradient = gradient + decay * weight;
    velocity = kept_of(velocity, p.momentum) + gradient;
    weight = weight - lr * (p.nesterov ? gradient + momentum * velocity : velocity);
  });
}

void run_sgd_momentum(const CpuCall& call) { sgd_momentum(call, call.params<SgdParams>().lr); }
void run_sgd_rates(const CpuCall& call) { sgd_momentum(call, call.buffer<const Rates>(3)->lr); }

void run_rmsprop(const CpuCall& call) {
  const auto& p = call.params<RmspropParams>();
  auto* squares = call.buffer<float>(2);
  auto* velocities = call.buffer<float>(3);
  auto* w = call.buffer<float>(0);
  const auto* g = call.buffer<const float>(1);
  const Pack lr = call.buffer<const Rates>(4)->lr, alpha = p.alpha, rest = p.rest, eps = p.eps, decay = p.weight_decay;
  call.team->run(p.count, 16384, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    const FlushDenormals flush;
    for (std::size_t i = begin; i < end; i += lanes) {
      const std::size_t some = HWY_MIN(lanes, end - i);
      Pack weight = load_some(w + i, some), square = load_some(squares + i, some);
      const Pack gradient = load_some(g + i, some) + decay * weight;
      square = alpha * square + rest * gradient * gradient;
      const Pack velocity = kept_of(load_some(velocities + i, some), p.momentum) + gradient / (sqrt(square) + eps);
      store_some(square, squares + i, some);
      store_some(velocity, velocities + i, some);
      store_some(weight - lr * velocity, w + i, some);
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0 {
void adam_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_adam, call); }
void sgd_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_sgd, call); }
void sgd_momentum_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_sgd_momentum, call); }
void adam_rates_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_adam_rates, call); }
void sgd_rates_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_sgd_rates, call); }
void rmsprop_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_rmsprop, call); }
void advance_cpu(const CpuCall& call) {
  const auto& p = call.params<AdvanceParams>();
  Rates& rates = *call.buffer<Rates>(0);
  rates.correction1 = p.beta1 * rates.correction1 + p.rest1;
  rates.correction2 = p.beta2 * rates.correction2 + p.rest2;
  ++rates.step;
}
}  // namespace tidepool::inline v0
#endif
