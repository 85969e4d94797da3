// The matmul family.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct MatmulParams {
  Shifts shifts;
  std::uint32_t m, n, k;
};
static_assert(Params<MatmulParams>);

// Many products, or one of transposed matrices. The batch axes are those of the result; along each, a and b move on by so
// many matrices, or by 0 where they are broadcast.
struct BatchedParams {
  static constexpr std::size_t most_axes = 6;
  Shifts shifts;
  std::uint32_t m, n, k;
  std::uint32_t transposed_a, transposed_b;
  std::uint32_t batches, rank;
  std::uint32_t size[most_axes], stride_a[most_axes], stride_b[most_axes];

  struct Place {
    std::size_t a, b;  // in matrices
  };
  Place place(std::size_t batch) const {
    Place at{0, 0};
    for (std::size_t axis = rank; axis-- > 0; batch /= size[axis]) {
      at.a += batch % size[axis] * stride_a[axis];
      at.b += batch % size[axis] * stride_b[axis];
    }
    return at;
  }
};
static_assert(Params<BatchedParams>);

void matmul_cpu(const CpuCall& call);
void matmul_batched_cpu(const CpuCall& call);

// a · b of matrices, or of batches of them, where each may be transposed first: for gradients, so it records none.
Tensor transposed_product(const Tensor& a, bool transposed_a, const Tensor& b, bool transposed_b);
// The same as a launch, of a and b as they stand in memory; k is the size that is summed over.
struct TransposedProduct {
  Operand a;
  bool transposed_a;
  Operand b;
  bool transposed_b;
  const Node& c;
  std::int64_t k;
};
std::size_t scratch_of(const Stream& stream, const TransposedProduct& product);  // bytes that its launch needs
void launch_product(Stream& stream, const TransposedProduct& product, const Storage& held);

void register_matmul(Operations& all);

}  // namespace tidepool::inline v0
