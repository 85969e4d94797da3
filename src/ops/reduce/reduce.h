// The reduce family. A reduction is over the middle of [outer, middle, inner]; long ones are done in parts, so that the
// order of additions is fixed whatever runs them.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct ReduceParams {
  Shifts shifts;
  std::uint32_t outer, middle, inner;
  std::uint32_t parts;     // the middle is cut into so many,
  std::uint32_t per_part;  // each so long but the last
};
static_assert(Params<ReduceParams>);

// out[o, part, i] = sum over the part of in[o, m, i]
void sum_cpu(const CpuCall& call);

void register_reduce(Operations& all);

}  // namespace tidepool::inline v0
