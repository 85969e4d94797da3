// The pool family: the largest or the mean of each window of an image. A window that reaches into the padding looks at the
// elements that are there; a mean counts the padding as zeros.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct PoolParams {
  Shifts shifts;
  std::uint32_t planes;  // n * c
  std::uint32_t h, w, oh, ow;
  std::uint32_t kernel, stride, padding;
};
static_assert(Params<PoolParams>);

struct UnpoolParams {
  Shifts shifts;
  std::uint32_t planes;
  std::uint32_t inputs, outputs;  // elements of a plane of dx, of dy
  std::uint32_t begin, end;       // of the outputs, those that are added now; the first ones overwrite
  std::uint32_t complaint;
};
static_assert(Params<UnpoolParams>);

void max_pool2d_cpu(const CpuCall& call);          // x -> y
void max_pool2d_indices_cpu(const CpuCall& call);  // x -> y, where in its plane each was
void max_pool2d_grad_cpu(const CpuCall& call);     // x, dy -> dx; looks for the largest again
void max_unpool2d_cpu(const CpuCall& call);        // dy, indices -> dx
void avg_pool2d_cpu(const CpuCall& call);          // x -> y
void avg_pool2d_grad_cpu(const CpuCall& call);     // dy -> dx

void register_pool(Operations& all);

}  // namespace tidepool::inline v0
