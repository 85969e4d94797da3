#include "ops/matmul/gpu_product.h"

#include <algorithm>
#include <utility>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;
// Without a bias and an activation, and with them.
struct ProductKernels {
  KernelDef tiles, lanes, vectors;
};
constexpr ProductKernels bare_kernels{.tiles = gpu_product_kernel("matmul_tiles", "matmul_tiles", 256, false),
                                      .lanes = gpu_product_kernel("matmul_lanes", "matmul_lanes", 8, false),
                                      .vectors = gpu_product_kernel("matmul_lanes_vectors", "matmul_lanes_vectors", 8, false)};
constexpr ProductKernels finishing_kernels{.tiles = gpu_product_kernel("linear_tiles", "matmul_tiles", 256, true),
                                           .lanes = gpu_product_kernel("linear_lanes", "matmul_lanes", 8, true),
                                           .vectors = gpu_product_kernel("linear_lanes_vectors", "matmul_lanes_vectors", 8, true)};
constexpr KernelDef sum_kernel{.name = "matmul_sum", .access = accesses({r, w, r}), .bindings = 3};

std::uint32_t divide_up(std::uint32_t a, std::uint32_t b) { return a / b + (a % b != 0 ? 1 : 0); }

const ProductRule& rule_of(const Stream& stream, const GpuSizes& s) {
  return stream.tuning().rule(s.work, std::uint64_t{s.matrices} * s.rows * s.columns);
}

// A block of 16 columns is wasted on one; as many rows are not.
void turn(GpuProduct& product, GpuProductParams& p) {
  std::swap(product.a, product.b);
  std::swap(p.m, p.n);
  std::swap(p.a_row, p.b_column);
  std::swap(p.a_k, p.b_k);
  std::swap(p.c_row, p.c_column);
  std::swap(p.a_step, p.b_step);
  if (p.bias != 0) p.bias = 3 - p.bias;
}

// Whether b can be loaded four columns at a time.
bool in_fours(const Operand& b, const GpuProductParams& p) {
  std::uint32_t steps = p.n | p.b_k | static_cast<std::uint32_t>(b.offset / sizeof(float));
  for (const std::uint32_t step : p.b_step) steps |= step;
  return p.b_column == 1 && steps % 4 == 0;
}

}  // namespace

std::uint32_t longest_depth(const Stream& stream, bool lanes) {
  const auto loops = static_cast<std::uint32_t>(std::min<std::size_t>(stream.info().max_loop, UINT32_MAX / 16));
  return lanes ? loops / 18 * 16 : loops * 16;
}

GpuCut cut_gpu_product(const Stream& stream, const GpuKernels& kernels, const GpuSizes& s) {
  const ProductRule& rule = rule_of(stream, s);
  // A convolution and the gradient of its input write their results themselves, so they are never in parts.
  const bool whole = s.work == GpuWork::conv || s.work == GpuWork::conv_input;
  const bool lanes = rule.lanes && (!whole || s.depth <= longest_depth(stream, true));
  const KernelDef& kernel = lanes ? kernels.lanes : kernels.tiles;
  const std::uint32_t down = lanes ? 16 : 64, across = 64, step = 16;
  // None without a result, and parts of results stand in memory, so 32 bits are enough.
  const std::uint32_t blocks = s.matrices * divide_up(s.rows, down) * divide_up(s.columns, across);
  if (whole) return {.kernel = kernel, .parts = 1, .per_part = s.depth, .extent = {blocks, 1, 1}};
  // Enough work for the whole device, and no loop longer than it takes.
  const std::uint32_t longest = longest_depth(stream, lanes);
  std::uint32_t parts = blocks == 0 ? 1 : std::clamp(divide_up(rule.enough, blocks), 1U, std::max(1U, s.depth / rule.shortest));
  parts = std::max(parts, divide_up(s.depth, longest));
  const std::uint32_t per_part = divide_up(divide_up(s.depth, parts), step) * step;  // longest_depth is a multiple of step
  parts = std::max(1U, divide_up(s.depth, std::max(1U, per_part)));
  return {.kernel = kernel, .parts = parts, .per_part = per_part, .extent = {blocks * parts, 1, 1}};
}

namespace {

// A product as it is launched.
struct ReadyProduct {
  GpuProduct product;
  GpuProductParams p;
  GpuCut cut;
  std::size_t results() const { return std::size_t{p.matrices} * p.m * p.n; }
  std::size_t scratch_bytes() const { return cut.parts == 1 ? 0 : results() * cut.parts * sizeof(float); }
};

ReadyProduct make_ready(const Stream& stream, GpuProduct product, GpuProductParams p) {
  if (p.n < 16 && p.m > p.n && rule_of(stream, {GpuWork::product, p.matrices, p.m, p.n, p.k}).lanes) turn(product, p);
  const ProductKernels& kernels = p.bias != 0 || p.activation != 0 ? finishing_kernels : bare_kernels;
  const GpuCut cut = cut_gpu_product(stream, {kernels.tiles, in_fours(product.b, p) ? kernels.vectors : kernels.lanes},
                                     {GpuWork::product, p.matrices, p.m, p.n, p.k});
  p.parts = cut.parts;
  p.per_part = cut.per_part;
  return {product, p, cut};
}

}  // namespace

std::size_t gpu_product_scratch(const Stream& stream, const GpuProduct& product, const GpuProductParams& p) {
  return make_ready(stream, product, p).scratch_bytes();
}

void launch_gpu_product(Stream& stream, const char* operation, const GpuProduct& wanted, const GpuProductParams& params,
                        const Storage* held) {
  const ReadyProduct ready = make_ready(stream, wanted, params);
  const auto& [product, p, cut] = ready;
  const Operand bias = product.bias ? *product.bias : product.a;
  if (cut.parts == 1) return stream.launch(cut.kernel, {product.a, product.b, product.c, bias}, p, cut.extent);
  const std::size_t bytes = ready.scratch_bytes();
  const Storage own = held ? Storage() : stream.take(bytes, MemoryTag::scratch, operation);
  const Storage& parts = held ? *held : own;
  stream.launch(cut.kernel, {product.a, product.b, scratch(parts, bytes, Access::write), bias}, p, cut.extent);
  stream.launch(sum_kernel, {scratch(parts, bytes, Access::read), product.c, bias}, p, {static_cast<std::uint32_t>(ready.results()), 1, 1});
}

}  // namespace tidepool::inline v0
