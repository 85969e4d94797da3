// The matmul family.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct MatmulParams {
  Shifts shifts;
  std::uint32_t m, n, k;
  std::uint32_t first, last;  // of k: what this launch adds up
};
static_assert(Params<MatmulParams>);

void matmul_cpu(const CpuCall& call);
void matmul_more_cpu(const CpuCall& call);  // adds to what is there

void register_matmul(Operations& all);

}  // namespace tidepool::inline v0
