// The update family: what optimizers do to parameters, in place.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct AdamParams {
  Shifts shifts;
  std::uint32_t count;
  float beta1, beta2, rest1, rest2;  // rest: 1 - beta, which a float of beta would spoil
  float eps, weight_decay;
  std::uint32_t decoupled;  // the decay shrinks the weights themselves (AdamW) rather than joining the gradient
  float step_size;          // lr / (1 - beta1^step), and
  float correction2;        // 1 / sqrt(1 - beta2^step), unless the rates are on the device
};
static_assert(Params<AdamParams>);

inline AdamParams adam_params(double beta1, double beta2, double eps, double weight_decay) {
  return {.shifts = {},
          .count = 0,
          .beta1 = static_cast<float>(beta1),
          .beta2 = static_cast<float>(beta2),
          .rest1 = static_cast<float>(1 - beta1),
          .rest2 = static_cast<float>(1 - beta2),
          .eps = static_cast<float>(eps),
          .weight_decay = static_cast<float>(weight_decay),
          .decoupled = 0,
          .step_size = 0,
          .correction2 = 0};
}

struct SgdParams {
  Shifts shifts;
  std::uint32_t count;
  float lr, momentum, weight_decay;
  std::uint32_t nesterov;
};
static_assert(Params<SgdParams>);

struct RmspropParams {
  Shifts shifts;
  std::uint32_t count;
  float alpha, rest, eps, momentum, weight_decay;
};
static_assert(Params<RmspropParams>);

// What changes from step to step stands in device memory, so that a plan sees it.
struct Rates {
  float lr;
  float correction1, correction2;  // 1 - beta^step, for Adam
  std::uint32_t step;
};
struct AdvanceParams {
  Shifts shifts;
  float beta1, beta2, rest1, rest2;
};
static_assert(Params<AdvanceParams>);

inline constexpr std::uint32_t adam_covers = 256;  // a work item of its shaders has four weights

void adam_cpu(const CpuCall& call);          // w, g, mean, square
void adam_rates_cpu(const CpuCall& call);    // and rates
void advance_cpu(const CpuCall& call);       // rates
void rmsprop_cpu(const CpuCall& call);       // w, g, square, velocity, rates
void sgd_rates_cpu(const CpuCall& call);     // w, g, velocity, rates
void sgd_cpu(const CpuCall& call);           // w, g
void sgd_momentum_cpu(const CpuCall& call);  // w, g, velocity

}  // namespace tidepool::inline v0
