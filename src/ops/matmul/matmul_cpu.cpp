#include "backend/cpu/team.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/product.h"

namespace tidepool::inline v0 {

void matmul_cpu(const CpuCall& call) {
  const auto& p = call.params<MatmulParams>();
  multiply(
      call,
      {.gemm = {
           .a = call.buffer<const float>(0), .b = call.buffer<const float>(1), .c = call.buffer<float>(2), .m = p.m, .n = p.n, .k = p.k}});
}

// Each thread takes products of its own where there are enough of them; otherwise all work at each.
void matmul_batched_cpu(const CpuCall& call) {
  const auto& p = call.params<BatchedParams>();
  const std::size_t m = p.m, n = p.n, k = p.k, work = m * n * k;
  const auto product = [&](std::size_t batch) -> Product {
    const BatchedParams::Place place = p.place(batch);
    return {.gemm = {.a = call.buffer<const float>(0) + place.a * m * k,
                     .b = call.buffer<const float>(1) + place.b * k * n,
                     .c = call.buffer<float>(2) + batch * m * n,
                     .m = m,
                     .n = n,
                     .k = k,
                     .transposed_a = p.transposed_a != 0,
                     .transposed_b = p.transposed_b != 0}};
  };
  constexpr std::size_t worth = 32768;  // multiplications, of a thread
  if (p.batches < 2 * static_cast<std::size_t>(call.team->threads())) {
    for (std::size_t batch = 0; batch < p.batches; ++batch) multiply(call, product(batch));
    return;
  }
  call.team->run(p.batches, worth / (work + 1) + 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t batch = begin; batch < end; ++batch) multiply_alone(call, product(batch));
  });
}

}  // namespace tidepool::inline v0
