// The launches of the three products.
#include <tidepool/grad.h>

#include "ops/conv/conv_ops.h"
#include "ops/conv/image.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

constexpr Access r = Access::read, w = Access::write;
constexpr KernelDef forward_kernel{.name = "conv2d", .access = accesses({r, r, w, w}), .bindings = 4, .cpu = conv2d_cpu};
constexpr KernelDef forward_bias_kernel{.name = "conv2d_bias", .access = accesses({r, r, w, w, r}), .bindings = 5, .cpu = conv2d_bias_cpu};
constexpr KernelDef input_kernel{.name = "conv2d_input", .access = accesses({r, r, w, w}), .bindings = 4, .cpu = conv2d_input_cpu};
constexpr KernelDef input_bias_kernel{
    .name = "conv2d_input_bias", .access = accesses({r, r, w, w, r}), .bindings = 5, .cpu = conv2d_input_bias_cpu};
constexpr KernelDef weights_kernel{.name = "conv2d_weights", .access = accesses({r, r, w, w}), .bindings = 4, .cpu = conv2d_weights_cpu};
constexpr KernelDef weights_bias_kernel{
    .name = "conv2d_weights_bias", .access = accesses({r, r, w, w, w}), .bindings = 5, .cpu = conv2d_weights_bias_cpu};
constexpr KernelDef bias_kernel{.name = "conv2d_bias_grad", .access = accesses({r, w}), .bindings = 2, .cpu = conv2d_bias_grad_cpu};

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
  const Operand bias = db ? write(*db) : Operand{};
  launch_product(stream, {weights_kernel, weights_bias_kernel}, p, dy, x, dw, conv2d_weights_scratch(p), db ? &bias : nullptr);
}

void nothing_to_check(std::span<Node* const>) {}

Tensor fresh(const char* operation, const Shape& shape, const Tensor& like) {
  return allocate_tensor(operation, shape, DType::f32, *usable(operation, like).slot);
}

}  // namespace

void launch_forward(Stream& stream, const ConvParams& p, const Node& x, const Node& w, const Node* b, const Node& y) {
  const Operand bias = b ? read(*b) : Operand{};
  launch_product(stream, {forward_kernel, forward_bias_kernel}, p, x, w, y, conv2d_scratch(p), b ? &bias : nullptr);
}

void launch_input(Stream& stream, const ConvParams& p, const Node& dy, const Node& w, const Node* b, const Node& dx) {
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
