// The update family: what optimizers do to parameters, in place.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct AdamParams {
  Shifts shifts;
  std::uint32_t count;
  float beta1, beta2, eps, weight_decay;
  float step_size;    // lr / (1 - beta1^step)
  float correction2;  // 1 / sqrt(1 - beta2^step)
};
static_assert(Params<AdamParams>);

struct SgdParams {
  Shifts shifts;
  std::uint32_t count;
  float lr, momentum, weight_decay;
  std::uint32_t nesterov;
};
static_assert(Params<SgdParams>);

void adam_cpu(const CpuCall& call);
void sgd_cpu(const CpuCall& call);           // w, g
void sgd_momentum_cpu(const CpuCall& call);  // w, g, velocity

}  // namespace tidepool::inline v0
