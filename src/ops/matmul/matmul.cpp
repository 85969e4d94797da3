#include "ops/matmul/matmul.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/elementwise/elementwise.h"
#include "ops/matmul/gpu_product.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;
// Shaders have products in gpu_product.cpp.
constexpr KernelDef matmul_kernel{.name = "matmul", .access = accesses({r, r, w}), .bindings = 3, .cpu = matmul_cpu};
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

// Of the first matrices alone.
GpuProductParams gpu_params(const BatchedParams& batched) {
  return {.shifts = {},
          .m = batched.m,
          .n = batched.n,
          .k = batched.k,
          .parts = 1,
          .per_part = 0,
          .a_row = batched.transposed_a ? 1 : batched.k,
          .a_k = batched.transposed_a ? batched.m : 1,
          .b_k = batched.transposed_b ? 1 : batched.n,
          .b_column = batched.transposed_b ? batched.k : 1,
          .c_row = batched.n,
          .c_column = 1,
          .c_matrix = batched.m * batched.n,
          .bias = 0,
          .activation = 0,
          .matrices = 1,
          .size = {1, 1, 1},
          .a_step = {},
          .b_step = {}};
}

// One launch where the batch has at most three axes, of which those that can be are joined; otherwise one for each matrix of the
// axes before them.
void launch_on_gpu(Stream& stream, const Operand& a, const Operand& b, const Node& out, const BatchedParams& batched) {
  constexpr std::size_t most = GpuProductParams::most_axes;
  const std::uint32_t a_size = batched.m * batched.k, b_size = batched.k * batched.n, c_size = batched.m * batched.n;
  GpuProductParams p = gpu_params(batched);
  std::size_t slot = most, outer = batched.rank;  // innermost first
  for (; outer > 0; --outer) {
    const std::uint32_t size = batched.size[outer - 1], step_a = batched.stride_a[outer - 1] * a_size,
                        step_b = batched.stride_b[outer - 1] * b_size;
    if (slot < most && step_a == p.a_step[slot] * p.size[slot] && step_b == p.b_step[slot] * p.size[slot]) {
      p.size[slot] *= size;
    } else {
      if (slot == 0) break;
      --slot;
      p.size[slot] = size;
      p.a_step[slot] = step_a;
      p.b_step[slot] = step_b;
    }
    p.matrices *= size;
  }
  const auto from = [](const Operand& operand, std::size_t floats) {
    return Operand{operand.block, operand.offset + floats * sizeof(float), operand.bytes - floats * sizeof(float), operand.access,
                   operand.element};
  };
  for (std::size_t first = 0; first < batched.batches; first += p.matrices) {
    const BatchedParams::Place place = batched.place(first);
    launch_gpu_product(
        stream, "matmul",
        {.a = from(a, place.a * a_size), .b = from(b, place.b * b_size), .c = from(write(out), first * c_size), .bias = nullptr}, p);
  }
}

void matmul_run(const OpCall& call, Stream& stream, Node& out) {
  const Node &a = *call.in[0], &b = *call.in[1];
  const auto transposed = call.attrs.as<Transposed>();
  BatchedParams p = batched_params(out, transposed.a ? a.shape[-2] : a.shape[-1], transposed);
  const bool immediate = stream.info().immediate;
  if (immediate && out.shape.rank() == 2 && !transposed.a && !transposed.b) {
    const MatmulParams single{.shifts = {}, .m = p.m, .n = p.n, .k = p.k};
    return stream.launch(matmul_kernel, {read(a), read(b), write(out)}, single, per_element(out));
  }
  set_batches(p, a.shape, b.shape, out.shape);
  if (immediate)
    launch_batches(stream, read(a), read(b), out, p);
  else
    launch_on_gpu(stream, read(a), read(b), out, p);
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
  return apply(ops::transposed_matmul, {&a, &b}, Transposed{transposed_a, transposed_b});
}

std::size_t scratch_of(const Stream& stream, const TransposedProduct& product) {
  if (stream.info().immediate) return 0;
  const BatchedParams p = batched_params(product.c, product.k, {product.transposed_a, product.transposed_b});
  return gpu_product_scratch(stream, {.a = product.a, .b = product.b, .c = write(product.c), .bias = nullptr}, gpu_params(p));
}

void launch_product(Stream& stream, const TransposedProduct& product, const Storage& held) {
  const BatchedParams p = batched_params(product.c, product.k, {product.transposed_a, product.transposed_b});
  if (stream.info().immediate) return launch_batches(stream, product.a, product.b, product.c, p);
  launch_gpu_product(stream, "matmul", {.a = product.a, .b = product.b, .c = write(product.c), .bias = nullptr}, gpu_params(p), &held);
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
