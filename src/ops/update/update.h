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

void adam_cpu(const CpuCall& call);

}  // namespace tidepool::inline v0
