// The pool family: the largest or the mean of each window of an image. A window that reaches into the padding looks at the
// elements that are there; a mean counts the padding as zeros.
#pragma once

#include <tidepool/ops.h>

#include "core/op.h"

namespace tidepool::inline v0 {

struct PoolParams {
  Shifts shifts;
  std::uint32_t planes;  // n * c
  std::uint32_t h, w, oh, ow;
  std::uint32_t kernel, stride, padding;
  // Where windows are large (pool_launches.cpp).
  std::uint32_t along = 0;           // 1: they have one row, 2: one column
  std::uint32_t begin = 0, end = 0;  // of the rows of windows that see an element, those that are gathered from now

  std::uint32_t relu = 0;      // of the largest; what is not above zero then has no gradient
  std::uint32_t channels = 0;  // of an image
  ChannelBlocks blocks = {};   // by plans on the CPU, of the largest
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

void max_pool2d_cpu(const CpuCall& call);  // x -> y
void max_pool2d_in_blocks_cpu(const CpuCall& call);
void max_pool2d_grad_in_blocks_cpu(const CpuCall& call);
void max_pool2d_indices_cpu(const CpuCall& call);  // x -> y, where in its plane each was
void max_pool2d_grad_cpu(const CpuCall& call);     // x, dy -> dx; looks for the largest again
void max_unpool2d_cpu(const CpuCall& call);        // dy, indices -> dx
void avg_pool2d_cpu(const CpuCall& call);          // x -> y
void avg_pool2d_grad_cpu(const CpuCall& call);     // dy -> dx

// Each as one launch, or as several where a driver would cut its loops short.
void launch_max_pool(Stream& stream, const Node& x, const Node& y, const PoolParams& p);
void launch_max_indices(Stream& stream, const char* operation, const Operand& x, const Operand& y, const Operand& indices,
                        const PoolParams& p);
void launch_max_grad(Stream& stream, const Node& x, const Node& dy, const Node& dx, const PoolParams& p);
void launch_avg_pool(Stream& stream, const Node& x, const Node& y, const PoolParams& p);
void launch_avg_grad(Stream& stream, const Node& dy, const Node& dx, const PoolParams& p);

// relu(max_pool2d(x, options)) at once; nobody needs the maxima themselves. The same bits as max_pool2d(relu(x), options).
Tensor max_pool2d_relu(const Tensor& x, const PoolOptions& options);

void register_pool(Operations& all);

}  // namespace tidepool::inline v0
