// The layout family: filling, copying, and copies whose elements stand elsewhere (transpose, broadcast).
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct FillParams {
  Shifts shifts;
  std::uint32_t count;
  std::uint32_t bits;  // the value's
};
static_assert(Params<FillParams>);

// out[i] = in[where the i-th element of a shape `size` stands when axis a moves by stride[a]].
struct GatherParams {
  Shifts shifts;
  std::uint32_t count;
  std::uint32_t rank;
  std::uint32_t size[8];
  std::uint32_t stride[8];
};
static_assert(Params<GatherParams>);

void fill_cpu(const CpuCall& call);
void copy_cpu(const CpuCall& call);
void strided_copy_cpu(const CpuCall& call);

void register_layout(Operations& all);

}  // namespace tidepool::inline v0
