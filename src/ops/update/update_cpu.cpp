#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/update/update_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "ops/update/update.h"

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

void run_adam(const CpuCall& call) {
  const auto& p = call.params<AdamParams>();
  auto* w = call.buffer<float>(0);
  const auto* g = call.buffer<const float>(1);
  auto* m = call.buffer<float>(2);
  auto* v = call.buffer<float>(3);
  const Pack beta1 = p.beta1, beta2 = p.beta2, eps = p.eps, decay = p.weight_decay, step_size = p.step_size, correction2 = p.correction2;
  const Pack rest1 = 1.0F - beta1, rest2 = 1.0F - beta2;
  const auto advance = [&](Pack& weight, Pack gradient, Pack& mean, Pack& square) HWY_ATTR {
    gradient = gradient + decay * weight;
    mean = beta1 * mean + rest1 * gradient;
    square = beta2 * square + rest2 * gradient * gradient;
    weight = weight - step_size * mean / (sqrt(square) * correction2 + eps);
  };
  call.team->run(p.count, 16384, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    std::size_t i = begin;
    for (; i + lanes <= end; i += lanes) {
      Pack weight = load(w + i), mean = load(m + i), square = load(v + i);
      advance(weight, load(g + i), mean, square);
      store(weight, w + i);
      store(mean, m + i);
      store(square, v + i);
    }
    if (i < end) {
      const std::size_t rest = end - i;
      Pack weight = load_part(w + i, rest), mean = load_part(m + i, rest), square = load_part(v + i, rest);
      advance(weight, load_part(g + i, rest), mean, square);
      store_part(weight, w + i, rest);
      store_part(mean, m + i, rest);
      store_part(square, v + i, rest);
    }
  });
}

// f(weight, gradient, velocity) changes the first and the last; without velocities w stands in for them.
template <bool with_velocity, class F>
HWY_INLINE void each_weight(const CpuCall& call, std::size_t count, const F& f) {
  auto* w = call.buffer<float>(0);
  const auto* g = call.buffer<const float>(1);
  float* v = with_velocity ? call.buffer<float>(2) : w;
  call.team->run(count, 16384, [&](std::size_t begin, std::size_t end) HWY_ATTR {
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

void run_sgd_momentum(const CpuCall& call) {
  const auto& p = call.params<SgdParams>();
  const Pack lr = p.lr, decay = p.weight_decay, momentum = p.momentum;
  each_weight<true>(call, p.count, [&](Pack& weight, Pack gradient, Pack& velocity) HWY_ATTR {
    gradient = gradient + decay * weight;
    velocity = momentum * velocity + gradient;
    weight = weight - lr * (p.nesterov ? gradient + momentum * velocity : velocity);
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
}  // namespace tidepool::inline v0
#endif
