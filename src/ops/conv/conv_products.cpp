// The launches of the three products.
#include <tidepool/error.h>
#include <tidepool/grad.h>

#include "ops/conv/by_onednn.h"
#include "ops/conv/conv_ops.h"
#include "ops/conv/image.h"
#include "ops/matmul/gpu_product.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;
constexpr KernelDef forward_kernel{
    .name = "conv2d", .access = accesses({r, r, w, w}), .bindings = 4, .cpu = conv2d_cpu, .images = &forward_images};
constexpr KernelDef forward_bias_kernel{
    .name = "conv2d_bias", .access = accesses({r, r, w, w, r}), .bindings = 5, .cpu = conv2d_bias_cpu, .images = &forward_images};
constexpr KernelDef input_kernel{
    .name = "conv2d_input", .access = accesses({r, r, w, w}), .bindings = 4, .cpu = conv2d_input_cpu, .images = &input_images};
constexpr KernelDef input_bias_kernel{
    .name = "conv2d_input_bias", .access = accesses({r, r, w, w, r}), .bindings = 5, .cpu = conv2d_input_bias_cpu};
constexpr KernelDef weights_kernel{
    .name = "conv2d_weights", .access = accesses({r, r, w, w}), .bindings = 4, .cpu = conv2d_weights_cpu, .images = &weights_images};
constexpr KernelDef weights_bias_kernel{.name = "conv2d_weights_bias",
                                        .access = accesses({r, r, w, w, w}),
                                        .bindings = 5,
                                        .cpu = conv2d_weights_bias_cpu,
                                        .images = &weights_images};
constexpr KernelDef bias_kernel{.name = "conv2d_bias_grad", .access = accesses({r, w}), .bindings = 2, .cpu = conv2d_bias_grad_cpu};

// The same by shaders: weights come first, and no scratch memory but for sums in parts.
constexpr KernelDef forward_tiles{
    .name = "conv2d_tiles", .access = accesses({r, r, w, r}), .bindings = 4, .group = {256, 1, 1}, .covers = 1};
constexpr KernelDef forward_lanes{.name = "conv2d_lanes", .access = accesses({r, r, w, r}), .bindings = 4, .group = {8, 1, 1}, .covers = 1};
constexpr KernelDef input_tiles = gpu_product_kernel("conv2d_input", "conv2d_input_tiles", 256, false);
constexpr KernelDef input_lanes = gpu_product_kernel("conv2d_input", "conv2d_input_lanes", 8, false);
constexpr KernelDef strided_input_tiles = gpu_product_kernel("conv2d_input_strided", "conv2d_input_tiles", 256, true);
constexpr KernelDef strided_input_lanes = gpu_product_kernel("conv2d_input_strided", "conv2d_input_lanes", 8, true);
constexpr KernelDef weights_tiles{
    .name = "conv2d_weights_tiles", .access = accesses({r, r, w}), .bindings = 3, .group = {256, 1, 1}, .covers = 1};
constexpr KernelDef weights_lanes{
    .name = "conv2d_weights_lanes", .access = accesses({r, r, w}), .bindings = 3, .group = {8, 1, 1}, .covers = 1};
constexpr KernelDef weights_sum{.name = "conv2d_weights_sum", .access = accesses({r, w, w}), .bindings = 3};

// Forward and the gradient of the input: the weights and what they are multiplied with.
void launch_on_gpu(Stream& stream, const GpuKernels& kernels, ConvParams p, const GpuSizes& sizes, const Node& weights, const Node& images,
                   const Node& out, const Node* bias) {
  const GpuCut cut = cut_gpu_product(stream, kernels, sizes);
  p.with_bias = bias ? 1 : 0;
  if (const std::uint32_t most = longest_depth(stream, false); sizes.depth > most)
    throw DeviceError("conv2d", cat("a window has ", sizes.depth, " numbers; this device's loops end after ", most,
                                    "; move the tensors with to(device(\"cpu\"))"));
  stream.launch(cut.kernel, {read(weights), read(images), write(out), bias ? read(*bias) : read(weights)}, p, cut.extent);
}

void launch_weights_on_gpu(Stream& stream, ConvParams p, const Node& dy, const Node& x, const Node* dw, const Node* db) {
  p.with_bias = db ? 1 : 0;
  const std::uint32_t rows = p.o / p.groups, columns = p.c / p.groups * p.kh * p.kw + p.with_bias;
  const GpuCut cut =
      cut_gpu_product(stream, {weights_tiles, weights_lanes}, {GpuWork::conv_weights, p.groups, rows, columns, p.n * p.oh * p.ow});
  p.parts = cut.parts;
  p.per_part = cut.per_part;
  const std::size_t results = std::size_t{p.o} * columns, bytes = results * cut.parts * sizeof(float);
  const Storage held = stream.take(bytes, MemoryTag::scratch, "conv2d");
  stream.launch(cut.kernel, {read(dy), read(x), scratch(held, bytes, Access::write)}, p, cut.extent);
  stream.launch(weights_sum, {scratch(held, bytes, Access::read), write(dw ? *dw : *db), write(db ? *db : *dw)}, p,
                {static_cast<std::uint32_t>(results), 1, 1});
}

struct Kernels {
  const KernelDef& plain;
  const KernelDef& with_bias;
};

// All three read two tensors, write one, and want scratch memory.
void launch_product(Stream& stream, const Kernels& kernels, const ConvParams& p, const Node& a, const Node& b, const Node& out,
                    std::size_t scratch_bytes, const Operand* bias) {
  const std::size_t bytes = std::max<std::size_t>(scratch_bytes, sizeof(float));
  const Storage held = stream.take(bytes, MemoryTag::scratch, kernels.plain.name);
  const Operand space = scratch(held, bytes, Access::write);
  if (bias)
    stream.launch(kernels.with_bias, {read(a), read(b), write(out), space, *bias}, p, per_element(out));
  else
    stream.launch(kernels.plain, {read(a), read(b), write(out), space}, p, per_element(out));
}

void launch_weights(Stream& stream, const ConvParams& p, const Node& dy, const Node& x, const Node& dw, const Node* db) {
  if (!stream.info().immediate) return launch_weights_on_gpu(stream, p, dy, x, &dw, db);
  const Operand bias = db ? write(*db) : Operand{};
  launch_product(stream, {weights_kernel, weights_bias_kernel}, p, dy, x, dw, conv2d_weights_scratch(p), db ? &bias : nullptr);
}

void nothing_to_check(std::span<Node* const>) {}

Tensor fresh(const char* operation, const Shape& shape, const Tensor& like) {
  return allocate_tensor(operation, shape, DType::f32, *usable(operation, like).slot);
}

}  // namespace

void launch_forward(Stream& stream, const ConvParams& p, const Node& x, const Node& w, const Node* b, const Node& y) {
  if (!stream.info().immediate)
    return launch_on_gpu(stream, {forward_tiles, forward_lanes}, p,
                         {GpuWork::conv, p.groups, p.o / p.groups, p.n * p.oh * p.ow, p.c / p.groups * p.kh * p.kw}, w, x, y, b);
  const Operand bias = b ? read(*b) : Operand{};
  launch_product(stream, {forward_kernel, forward_bias_kernel}, p, x, w, y, conv2d_scratch(p), b ? &bias : nullptr);
}

void launch_input(Stream& stream, const ConvParams& p, const Node& dy, const Node& w, const Node* b, const Node& dx) {
  if (!stream.info().immediate)
    return launch_on_gpu(stream,
                         p.stride == 1 ? GpuKernels{input_tiles, input_lanes} : GpuKernels{strided_input_tiles, strided_input_lanes}, p,
                         {GpuWork::conv_input, p.groups, p.c / p.groups, p.n * p.h * p.w, p.o / p.groups * p.kh * p.kw}, w, dy, dx, b);
  const Operand bias = b ? read(*b) : Operand{};
  launch_product(stream, {input_kernel, input_bias_kernel}, p, dy, w, dx, conv2d_input_scratch(p), b ? &bias : nullptr);
}

void write_input_gradient(const char* operation, const ConvParams& p, const Tensor& dy, const Tensor& w, const Tensor& dx) {
  const NoGrad guard;
  apply_in_place(
      operation, {&dx, &dy, &w}, 1, nothing_to_check,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        launch_input(stream, attrs.as<ConvParams>(), *nodes[1], *nodes[2], nullptr, *nodes[0]);
      },
      Attrs(p));
}

void write_weights_gradient(const char* operation, const ConvParams& p, const Tensor& dy, const Tensor& x, const Tensor& dw) {
  const NoGrad guard;
  apply_in_place(
      operation, {&dw, &dy, &x}, 1, nothing_to_check,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        launch_weights(stream, attrs.as<ConvParams>(), *nodes[1], *nodes[2], *nodes[0], nullptr);
      },
      Attrs(p));
}

void write_bias_gradient(const char* operation, const Tensor& dy, const Tensor& db) {
  const NoGrad guard;
  apply_in_place(
      operation, {&db, &dy}, 1, nothing_to_check,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs&) {
        const Shape& shape = nodes[1]->shape;
        ConvParams p{};
        p.n = to_count(shape[0]);
        p.o = to_count(shape[1]);
        p.oh = to_count(shape[2]);
        p.ow = to_count(shape[3]);
        p.groups = p.kh = p.kw = 1;
        if (!stream.info().immediate) return launch_weights_on_gpu(stream, p, *nodes[1], *nodes[1], nullptr, nodes[0]);
        stream.launch(bias_kernel, {read(*nodes[1]), write(*nodes[0])}, p, per_element(*nodes[0]));
      },
      Attrs{});
}

Tensor input_gradient(const char* operation, const ConvParams& p, const Tensor& dy, const Tensor& w) {
  Tensor dx = fresh(operation, input_shape(p), dy);
  write_input_gradient(operation, p, dy, w, dx);
  return dx;
}

Tensor weights_gradient(const char* operation, const ConvParams& p, const Tensor& dy, const Tensor& x) {
  Tensor dw = fresh(operation, weights_shape(p), dy);
  write_weights_gradient(operation, p, dy, x, dw);
  return dw;
}

Tensor bias_gradient(const char* operation, const Tensor& dy) {
  Tensor db = fresh(operation, {dy.shape()[1]}, dy);
  write_bias_gradient(operation, dy, db);
  return db;
}

ParameterGradients parameter_gradients(const char* operation, const ConvParams& p, const Tensor& dy, const Tensor& x) {
  ParameterGradients made{fresh(operation, weights_shape(p), dy), fresh(operation, {p.o}, dy)};
  const NoGrad guard;
  apply_in_place(
      operation, {&made.weights, &made.bias, &dy, &x}, 2, nothing_to_check,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        launch_weights(stream, attrs.as<ConvParams>(), *nodes[2], *nodes[3], *nodes[0], nodes[1]);
      },
      Attrs(p));
  return made;
}

}  // namespace tidepool::inline v0
