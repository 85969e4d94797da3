#include "ops/matmul/product.h"

#include <cstdlib>
#include <memory>
#include <new>

namespace tidepool::inline v0 {

namespace {

// Below this many multiplications oneDNN's preparations, and packing, cost more than they save.
constexpr std::size_t small = 24 * 24 * 24;
constexpr std::size_t shallow = 4;  // so few terms are a copy with a little arithmetic: memory is what counts

void run(const CpuCall& call, const Product& product, CpuTeam* team) {
  const Gemm& g = product.gemm;
  const bool large = g.m * g.n * g.k > small && g.k > shallow;
  const ProductCall own{.product = product, .team = team, .instructions = call.instructions, .packed = large};
  if (large && call.onednn && call.onednn->gemm(g)) {
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
    buffer.reset(static_cast<float*>(std::aligned_alloc(64, (floats * sizeof(float) + 63) / 64 * 64)));
    if (!buffer) throw std::bad_alloc();
    size = floats;
  }
  return buffer.get();
}

}  // namespace tidepool::inline v0
