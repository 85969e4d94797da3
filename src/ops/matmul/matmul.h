// The matmul family.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct MatmulParams {
  Shifts shifts;
  std::uint32_t m, n, k;
};
static_assert(Params<MatmulParams>);

void matmul_cpu(const CpuCall& call);

void register_matmul(Operations& all);

}  // namespace tidepool::inline v0
