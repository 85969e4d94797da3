#include "ops/matmul/product.h"

#include "backend/cpu/instructions.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace tidepool::inline v0 {

namespace {

// Up to so many multiplications our own tiles, straight from the operands, are as fast as anything; fewer where b has to be
// turned round first.
constexpr std::size_t small = 64 * 64 * 64, small_transposed = 24 * 24 * 24;
constexpr std::size_t few_rows = 12;  // do not pay for packing b
constexpr std::size_t narrow = 16;    // columns, fewer than the widest vectors have lanes: what they write in part is slow to read again
constexpr std::size_t shallow = 4;    // so few terms are a copy with a little arithmetic: memory is what counts

void run(const CpuCall& call, const Product& product, CpuTeam* team) {
  const Gemm& g = product.gemm;
  const std::size_t work = g.m * g.n * g.k;
  const bool large = work > (g.transposed_b ? small_transposed : small) && g.k > shallow && !g.times_vector();
  const ProductCall own{.product = product,
                        .team = team,
                        .instructions = g.n < narrow ? std::min<int>(call.instructions, avx2) : call.instructions,
                        .packed = large && work > small && g.m > few_rows};
  if (large && call.onednn && call.onednn->gemm(g, !team)) {
    if (product.unfinished()) finish_product(own);
    return;
  }
  own_product(own);
}

struct Free {
  void operator()(float* floats) const { std::free(floats); }
};

}  // namespace

void multiply(const CpuCall& call, const Product& product) { run(call, product, call.team); }
void multiply_alone(const CpuCall& call, const Product& product) { run(call, product, nullptr); }

float* packing_buffer(std::size_t floats) {
  thread_local std::unique_ptr<float, Free> buffer;
  thread_local std::size_t size = 0;
  if (floats > size) {
    size = 0;
    buffer.reset(static_cast<float*>(std::aligned_alloc(64, (floats * sizeof(float) + 63) / 64 * 64)));
    if (!buffer) throw std::bad_alloc();
    size = floats;
  }
  return buffer.get();
}

}  // namespace tidepool::inline v0
