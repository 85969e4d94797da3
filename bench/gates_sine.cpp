// A training step of 1-256-1, batch 128, against the same by hand: vectors over the hidden units, half of the batch for each thread.
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/gates_sine.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/instructions.h"
#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "bench/gate.h"
#include "bench/train_step.h"
#include "platform/system.h"

#include <algorithm>
#include <array>
#include <cmath>

#ifndef TIDEPOOL_BENCH_SINE
#define TIDEPOOL_BENCH_SINE
namespace tidepool::gates {

constexpr std::size_t hidden = 256, samples = 128;

struct SineParameters {  // of the first layer, of the second; both biases after their weights
  std::array<float, hidden> w1, b1, w2;
  float b2;
};
struct SineByHand {
  SineParameters at, mean{}, square{};
  std::array<float, samples> x, target;
  float power1 = 1, power2 = 1;
  CpuTeam* team = nullptr;
  int instructions = best_instructions();
};

}  // namespace tidepool::gates
#endif

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

using gates::hidden;
using gates::SineByHand;
using gates::SineParameters;

HWY_INLINE void one_sample(const SineByHand& net, std::size_t s, SineParameters& gradient) {
  HWY_ALIGN float h[hidden];
  const Pack x = net.x[s];
  Pack sum = 0.0F;
  for (std::size_t j = 0; j < hidden; j += lanes) {
    const Pack active = tanh(fma(x, load(&net.at.w1[j]), load(&net.at.b1[j])));
    store(active, h + j);
    sum = fma(active, load(&net.at.w2[j]), sum);
  }
  const float d = 2.0F / static_cast<float>(gates::samples) * (add_lanes(sum) + net.at.b2 - net.target[s]);
  gradient.b2 += d;
  for (std::size_t j = 0; j < hidden; j += lanes) {
    const Pack active = load(h + j), back = d * load(&net.at.w2[j]) * (1.0F - active * active);
    store(fma(d, active, load(&gradient.w2[j])), &gradient.w2[j]);
    store(fma(back, x, load(&gradient.w1[j])), &gradient.w1[j]);
    store(load(&gradient.b1[j]) + back, &gradient.b1[j]);
  }
}

HWY_INLINE void update(float* w, float* mean, float* square, const float* g, std::size_t count, float size, float correction) {
  for (std::size_t i = 0; i < count; i += lanes) {
    const Pack gradient = load_some(g + i, std::min(lanes, count - i));
    const Pack m = 0.9F * load_some(mean + i, std::min(lanes, count - i)) + 0.1F * gradient;
    const Pack v = 0.999F * load_some(square + i, std::min(lanes, count - i)) + 0.001F * gradient * gradient;
    const Pack stepped = load_some(w + i, std::min(lanes, count - i)) - size * m / (sqrt(v) * correction + 1e-8F);
    store_some(m, mean + i, std::min(lanes, count - i));
    store_some(v, square + i, std::min(lanes, count - i));
    store_some(stepped, w + i, std::min(lanes, count - i));
  }
}

void step(SineByHand& net) {
  constexpr std::size_t share = gates::samples / 2;
  std::array<SineParameters, 2> gradients{};
  net.team->run(2, 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t half = begin; half < end; ++half)
      for (std::size_t s = half * share; s < (half + 1) * share; ++s) one_sample(net, s, gradients[half]);
  });
  SineParameters& g = gradients[0];
  for (std::size_t j = 0; j < hidden; j += lanes) {
    store(load(&g.w1[j]) + load(&gradients[1].w1[j]), &g.w1[j]);
    store(load(&g.b1[j]) + load(&gradients[1].b1[j]), &g.b1[j]);
    store(load(&g.w2[j]) + load(&gradients[1].w2[j]), &g.w2[j]);
  }
  g.b2 += gradients[1].b2;
  net.power1 *= 0.9F;
  net.power2 *= 0.999F;
  const float size = 1e-3F / (1.0F - net.power1), correction = 1.0F / std::sqrt(1.0F - net.power2);
  update(net.at.w1.data(), net.mean.w1.data(), net.square.w1.data(), g.w1.data(), hidden, size, correction);
  update(net.at.b1.data(), net.mean.b1.data(), net.square.b1.data(), g.b1.data(), hidden, size, correction);
  update(net.at.w2.data(), net.mean.w2.data(), net.square.w2.data(), g.w2.data(), hidden, size, correction);
  update(&net.at.b2, &net.mean.b2, &net.square.b2, &g.b2, 1, size, correction);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0 {
namespace {
void sine_by_hand(gates::SineByHand& net) { TIDEPOOL_RUN(step, net); }
}  // namespace
}  // namespace tidepool::inline v0
namespace tidepool::gates {

Measured measure_sine_step() {
  bench::TrainStep ours = bench::sine_step();
  CpuTeam team(usable_cores());
  SineByHand net{};
  net.team = &team;
  for (std::size_t i = 0; i < hidden; ++i) {
    net.at.w1[i] = std::sin(static_cast<float>(i));
    net.at.w2[i] = 0.05F * std::cos(static_cast<float>(i));
  }
  for (std::size_t i = 0; i < samples; ++i) {
    net.x[i] = 12.0F * static_cast<float>(i) / static_cast<float>(samples) - 6.0F;
    net.target[i] = std::sin(net.x[i]);
  }
  const auto measure = [&] {
    return compare_near(
        20, [&] { ours.run(); },
        [&] {
          sine_by_hand(net);
          use(&net);
        });
  };
  return better(measure(), better(measure(), measure()));
}

}  // namespace tidepool::gates
#endif
