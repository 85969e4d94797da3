#include "ops/matmul/matmul.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/elementwise/elementwise.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

constexpr Access r = Access::read, w = Access::write, rw = Access::read_write;
constexpr KernelDef matmul_kernel{
    .name = "matmul", .access = accesses({r, r, w}), .bindings = 3, .cpu = matmul_cpu, .constants = {0}, .constant_count = 1};
// For devices that cut long loops, of which the CPU is none.
constexpr KernelDef matmul_more_kernel{
    .name = "matmul_more", .access = accesses({r, r, rw}), .bindings = 3, .shader = "matmul", .constants = {1}, .constant_count = 1};
constexpr KernelDef matmul_batched_kernel{
    .name = "matmul_batched", .access = accesses({r, r, w}), .bindings = 3, .cpu = matmul_batched_cpu};

struct Transposed {
  bool a = false, b = false;
};

[[noreturn]] void inner_sizes_differ(const Shape& a, const Shape& b) {
  throw ShapeError("matmul", cat("inner sizes differ: ", a, " x ", b));
}

std::span<const std::int64_t> batch_axes(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

void matmul_rule(const OpCall& call, Node& out) {
  require_dtype(call, DType::f32);
  const Shape &a = call.in[0]->shape, &b = call.in[1]->shape;
  const auto transposed = call.attrs.as<Transposed>();
  const auto [m, k] = transposed.a ? std::pair(a[-1], a[-2]) : std::pair(a[-2], a[-1]);
  const auto [rows, n] = transposed.b ? std::pair(b[-1], b[-2]) : std::pair(b[-2], b[-1]);
  if (k != rows) inner_sizes_differ(a, b);
  if (a.rank() == 2 && b.rank() == 2) return out.become("matmul", {m, n}, DType::f32);
  Shape batch;
  try {
    batch = broadcast_shape("matmul", Shape(batch_axes(a)), Shape(batch_axes(b)));
  } catch (const ShapeError&) {
    throw ShapeError("matmul", cat("batch sizes do not go together: ", a, " x ", b));
  }
  std::array<std::int64_t, Shape::max_rank> sizes{};
  const auto end = std::copy(batch.begin(), batch.end(), sizes.begin());
  end[0] = m;
  end[1] = n;
  out.become("matmul", Shape(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(batch.rank() + 2))), DType::f32);
}

void launch_product(Stream& stream, const Operand& a, const Operand& b, const Node& c, std::size_t offset, MatmulParams p) {
  const Extent extent{p.m * p.n, 1, 1};
  const auto part = [&](Access access) {
    return Operand{c.storage.block(), c.offset + offset, std::size_t{p.m} * p.n * sizeof(float), access, sizeof(float)};
  };
  const auto longest = static_cast<std::uint32_t>(std::min<std::size_t>(stream.info().max_loop, p.k));
  p.last = longest;
  stream.launch(matmul_kernel, {a, b, part(Access::write)}, p, extent);
  while (p.last < p.k) {
    p.first = p.last;
    p.last += std::min(longest, p.k - p.last);
    stream.launch(matmul_more_kernel, {a, b, part(Access::read_write)}, p, extent);
  }
}

// How a and b move along the batch axes of the result.
void set_batches(BatchedParams& p, const Shape& a, const Shape& b, const Shape& out) {
  std::uint32_t step_a = 1, step_b = 1;
  std::array<std::array<std::uint32_t, 3>, BatchedParams::most_axes> axes;  // innermost first
  for (std::int64_t i = 3; i <= out.rank(); ++i) {
    const auto own = [i](const Shape& shape) { return i <= shape.rank() ? static_cast<std::uint32_t>(shape[-i]) : 1U; };
    const std::uint32_t size = own(out), in_a = own(a), in_b = own(b);
    axes[p.rank++] = {size, in_a == 1 ? 0 : step_a, in_b == 1 ? 0 : step_b};
    p.batches *= size;
    step_a *= in_a;
    step_b *= in_b;
  }
  for (std::uint32_t axis = 0; axis < p.rank; ++axis) {
    const auto [size, stride_a, stride_b] = axes[p.rank - 1 - axis];
    p.size[axis] = size;
    p.stride_a[axis] = stride_a;
    p.stride_b[axis] = stride_b;
  }
}

BatchedParams batched_params(const Node& out, std::int64_t k, Transposed transposed) {
  BatchedParams p;  // NOLINT: without axes their sizes are not used
  p.shifts = {};
  p.m = static_cast<std::uint32_t>(out.shape[-2]);
  p.n = static_cast<std::uint32_t>(out.shape[-1]);
  p.k = static_cast<std::uint32_t>(k);
  p.transposed_a = transposed.a;
  p.transposed_b = transposed.b;
  p.batches = 1;
  p.rank = 0;
  return p;
}

void launch_batches(Stream& stream, const Operand& a, const Operand& b, const Node& out, const BatchedParams& p) {
  stream.launch(matmul_batched_kernel, {a, b, write(out)}, p, {p.batches, 1, 1});
}

void matmul_run(const OpCall& call, Stream& stream, Node& out) {
  const Node &a = *call.in[0], &b = *call.in[1];
  const auto transposed = call.attrs.as<Transposed>();
  BatchedParams p = batched_params(out, transposed.a ? a.shape[-2] : a.shape[-1], transposed);
  const MatmulParams single{.shifts = {}, .m = p.m, .n = p.n, .k = p.k, .first = 0, .last = 0};
  if (out.shape.rank() == 2 && !transposed.a && !transposed.b) return launch_product(stream, read(a), read(b), out, 0, single);
  set_batches(p, a.shape, b.shape, out.shape);
  if (stream.info().immediate) return launch_batches(stream, read(a), read(b), out, p);
  for (std::size_t batch = 0; batch < p.batches; ++batch) {
    const auto slice = [](const Node& node, std::size_t matrix, std::size_t floats) {
      const std::size_t bytes = floats * sizeof(float);
      return Operand{node.storage.block(), node.offset + matrix * bytes, bytes, Access::read, sizeof(float)};
    };
    const BatchedParams::Place place = p.place(batch);
    launch_product(stream, slice(a, place.a, std::size_t{p.m} * p.k), slice(b, place.b, std::size_t{p.k} * p.n), out,
                   batch * p.m * p.n * sizeof(float), single);
  }
}

Tensors matmul_gradient(const Grad& g) {
  return {g.needs(0) ? sum_to(transposed_product(g.dout, false, g.in(1), true), g.shape(0)) : Tensor(),
          g.needs(1) ? sum_to(transposed_product(g.in(0), true, g.dout, false), g.shape(1)) : Tensor()};
}

}  // namespace

namespace ops {
namespace {
constexpr OpDef matmul{.name = "matmul", .rule = matmul_rule, .run = matmul_run, .gradient = matmul_gradient};
constexpr OpDef transposed_matmul{.name = "matmul", .rule = matmul_rule, .run = matmul_run};
}  // namespace
}  // namespace ops

void register_matmul(Operations& all) { all.push_back(&ops::matmul); }

Tensor transposed_product(const Tensor& a, bool transposed_a, const Tensor& b, bool transposed_b) {
  if (on_cpu(*a.node())) return apply(ops::transposed_matmul, {&a, &b}, Transposed{transposed_a, transposed_b});
  return matmul(transposed_a ? transpose(a) : a, transposed_b ? transpose(b) : b);
}

void launch_transposed_product(Stream& stream, const Operand& a, bool transposed_a, const Operand& b, bool transposed_b, const Node& c,
                               std::int64_t k) {
  launch_batches(stream, a, b, c, batched_params(c, k, {transposed_a, transposed_b}));
}

namespace {

// The shape without its last axis, and with `last` in its place unless that is negative.
Shape with_last(const Shape& shape, std::int64_t last) {
  std::array<std::int64_t, Shape::max_rank> sizes{};
  const auto count = static_cast<std::size_t>(shape.rank() - 1);
  std::copy_n(shape.begin(), count, sizes.begin());
  sizes[count] = last;
  return Shape(std::span<const std::int64_t>(sizes.data(), last < 0 ? count : count + 1));
}

// Vectors are matrices of one row or one column, of which the result has no trace; a batch times one matrix is one product.
Tensor product_of_any(const Tensor& a, const Tensor& b) {
  const Shape left = a.shape(), right = b.shape();
  if (left.rank() < 1 || right.rank() < 1) throw ShapeError("matmul", cat("got ", left, " x ", right, "; wanted at least one axis each"));
  if (left[-1] != right[right.rank() == 1 ? 0 : -2]) inner_sizes_differ(left, right);
  if (right.rank() == 1) {
    const Tensor product = matmul(a, b.reshape({right[0], 1}));
    return product.reshape(with_last(product.shape(), -1));
  }
  if (left.rank() == 1) {
    const Tensor product = matmul(a.reshape({1, left[0]}), b);
    return product.reshape(with_last(with_last(product.shape(), -1), right[-1]));
  }
  if (right.rank() == 2) {
    const std::int64_t rows = checked_numel("matmul", with_last(left, -1));
    return matmul(a.reshape({rows, left[-1]}), b).reshape(with_last(left, right[-1]));
  }
  return apply(ops::matmul, {&a, &b});
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  if (usable("matmul", a).shape.rank() == 2 && usable("matmul", b).shape.rank() == 2) [[likely]]
    return apply(ops::matmul, {&a, &b});
  return product_of_any(a, b);
}

}  // namespace tidepool::inline v0
