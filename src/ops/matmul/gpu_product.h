// Products on devices that run shaders: which shader has them, in how many parts, and the launches. Both follow from the device's
// table (device/tuning.h) and the sizes alone.
//
//     launch_gpu_product(stream, "linear", {.a = read(x), .b = read(w), .c = write(y), .bias = nullptr}, p);
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

// c[matrix] = a[matrix] · b[matrix]. Matrices lie anyhow: so far is the next row, column and k. Those of c follow each other.
struct GpuProductParams {
  static constexpr std::size_t most_axes = 3;
  Shifts shifts;
  std::uint32_t m, n, k;
  std::uint32_t parts, per_part;  // of k; set by the launch
  std::uint32_t a_row, a_k, b_k, b_column, c_row, c_column, c_matrix;
  std::uint32_t bias;  // 0: none, 1: one for each row, 2: one for each column
  std::uint32_t activation;
  std::uint32_t matrices;
  std::uint32_t size[most_axes], a_step[most_axes], b_step[most_axes];  // how a and b move on along the axes of the batch
};
static_assert(Params<GpuProductParams>);

struct GpuProduct {
  Operand a, b, c;
  const Operand* bias;
};
// `held`: scratch that was taken for it before; without it the launch takes its own.
void launch_gpu_product(Stream& stream, const char* operation, const GpuProduct& product, const GpuProductParams& p,
                        const Storage* held = nullptr);
std::size_t gpu_product_scratch(const Stream& stream, const GpuProduct& product, const GpuProductParams& p);  // bytes; 0: none

// Two operands, the result and a bias (or an operand again); `constant` is the shader's one specialization constant. Like all kernels of
// products it counts workgroups, not work items: 2^24 matrices have more of these than 32 bits can say.
constexpr KernelDef gpu_product_kernel(const char* name, const char* shader, std::uint32_t group, bool constant) {
  using access::r, access::w;
  return {.name = name,
          .access = accesses({r, r, w, r}),
          .bindings = 4,
          .shader = shader,
          .group = {group, 1, 1},
          .covers = 1,
          .constants = {constant ? 1U : 0U},
          .constant_count = 1};
}

// One of two shaders for a product.
struct GpuKernels {
  const KernelDef& tiles;
  const KernelDef& lanes;
};
struct GpuCut {
  const KernelDef& kernel;
  std::uint32_t parts, per_part;
  Extent extent;  // workgroups
};
struct GpuSizes {
  GpuWork work;
  std::uint32_t matrices, rows, columns, depth;
};
// How far one work item can go over k where loops may not be longer than the device takes: lanes need one round for each k and one
// more for every eight, tiles one for sixteen. A multiple of 16.
std::uint32_t longest_depth(const Stream& stream, bool lanes);
GpuCut cut_gpu_product(const Stream& stream, const GpuKernels& kernels, const GpuSizes& sizes);

}  // namespace tidepool::inline v0
