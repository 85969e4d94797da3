// The raw twins of linear.
#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/raw.h>

#include "core/checks.h"
#include "ops/elementwise/elementwise.h"
#include "ops/linear/linear.h"
#include "ops/matmul/matmul.h"
#include "platform/cat.h"

#include <algorithm>
#include <vector>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;
constexpr KernelDef add_bias_kernel{.name = "add_bias", .access = accesses({r, r, w}), .bindings = 3, .cpu = add_bias_cpu};

void require_floats(const char* operation, const char* name, const Node& node, const Shape& wanted) {
  require_type(operation, name, node, DType::f32);
  require_shape(operation, name, node, wanted);
}

const Node* node_if_any(const char* operation, const Tensor& tensor) { return tensor.defined() ? &usable(operation, tensor) : nullptr; }

void accept(std::span<Node* const>) {}  // checked before

// Which of its tensors a backward has; they follow each other in this order.
struct LinearBackward {
  Activation activation;
  bool dx, dw, db;
};

struct BackwardNodes {
  const Node *dx = nullptr, *dw = nullptr, *db = nullptr, *dy = nullptr, *x = nullptr, *w = nullptr, *y = nullptr;

  BackwardNodes(std::span<Node* const> nodes, const LinearBackward& wanted) {
    std::size_t next = 0;
    const auto take = [&](bool there) -> const Node* { return there ? nodes[next++] : nullptr; };
    dx = take(wanted.dx);
    dw = take(wanted.dw);
    db = take(wanted.db);
    dy = take(true);
    x = take(wanted.dw);
    w = take(wanted.dx);
    y = take(wanted.activation != Activation::none);
  }
};

void run_backward(std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
  const auto wanted = attrs.as<LinearBackward>();
  const BackwardNodes n(nodes, wanted);
  Operand dz = read(*n.dy);
  Storage held;
  if (n.y && n.dy->numel > 0) {
    held = stream.take(n.dy->bytes(), MemoryTag::scratch, "linear_bwd");
    launch_activation_bwd(stream, *n.y, *n.dy, scratch(held, n.dy->bytes(), Access::write), wanted.activation);
    dz = scratch(held, n.dy->bytes(), Access::read);
  }
  std::vector<TransposedProduct> products;
  if (n.dx && n.dx->numel > 0) products.push_back({dz, false, read(*n.w), false, *n.dx, n.dy->shape[1]});
  if (n.dw && n.dw->numel > 0) products.push_back({dz, true, read(*n.x), false, *n.dw, n.dy->shape[0]});
  // All memory is taken before anything is written: the products' here, and the sum takes its own before its last launch.
  std::size_t bytes = 0;
  for (const TransposedProduct& product : products) bytes = std::max(bytes, scratch_of(stream, product));
  const Storage parts = bytes > 0 ? stream.take(bytes, MemoryTag::scratch, "linear_bwd") : Storage();
  if (n.db && n.db->numel > 0) launch_column_sum(stream, dz, n.dy->shape, *n.db);
  for (const TransposedProduct& product : products) launch_product(stream, product, parts);
}

}  // namespace

namespace raw {

void linear_fwd(const Tensor& x, const Tensor& w, const Tensor& b, Activation act, const Tensor& y) {
  constexpr const char* name = "linear_fwd";
  const NoGrad guard;
  const Node &in = usable(name, x), &weights = usable(name, w), &out = usable(name, y);
  const Node* const bias = node_if_any(name, b);
  check_linear(name, in, weights, bias);
  require_floats(name, "y", out, {in.shape[0], weights.shape[0]});
  require_apart(name, "y", out, {&in, &weights, bias});
  std::vector<const Tensor*> tensors{&y, &x, &w};
  if (bias) tensors.push_back(&b);
  apply_in_place(
      name, tensors, 1, accept,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        const auto launch = [&](const Node& out, Activation activation) {
          launch_linear(stream, *nodes[1], *nodes[2], nodes.size() == 4 ? nodes[3] : nullptr, out, activation);
        };
        if (const auto activation = attrs.as<Activation>(); activation != Activation::gelu) return launch(*nodes[0], activation);
        launch_before_gelu(stream, name, *nodes[0], [&](const Node& before) { launch(before, Activation::none); });
      },
      Attrs(act));
}

void linear_bwd(const Tensor& dy, const Tensor& x, const Tensor& w, const Tensor& y, Activation act, const Tensor& dx, const Tensor& dw,
                const Tensor& db) {
  constexpr const char* name = "linear_bwd";
  require_gradient_from_output(name, act);
  const Node &in = usable(name, x), &weights = usable(name, w), &seed = usable(name, dy);
  const Node* const out = act == Activation::none ? node_if_any(name, y) : &usable(name, y);
  check_linear(name, in, weights, nullptr);
  const Shape result{in.shape[0], weights.shape[0]};
  require_floats(name, "dy", seed, result);
  if (out) require_floats(name, "y", *out, result);
  std::vector<const Tensor*> tensors;
  const auto add_output = [&](const char* output, const Tensor& tensor, const Shape& wanted) {
    const Node* const node = node_if_any(name, tensor);
    if (!node) return false;
    require_floats(name, output, *node, wanted);
    require_apart(name, output, *node, {&in, &weights, &seed, out});
    for (const Tensor* other : tensors) require_apart(name, output, *node, {other->node()});
    tensors.push_back(&tensor);
    return true;
  };
  LinearBackward wanted{.activation = act, .dx = false, .dw = false, .db = false};
  wanted.dx = add_output("dx", dx, in.shape);
  wanted.dw = add_output("dw", dw, weights.shape);
  wanted.db = add_output("db", db, {weights.shape[0]});
  const std::size_t written = tensors.size();
  if (written == 0) return;
  tensors.push_back(&dy);
  if (wanted.dw) tensors.push_back(&x);
  if (wanted.dx) tensors.push_back(&w);
  if (act != Activation::none) tensors.push_back(&y);
  const NoGrad guard;
  apply_in_place(name, tensors, written, accept, run_backward, Attrs(wanted));
}

void activation_bwd(Activation act, const Tensor& y, const Tensor& dy, const Tensor& dx) {
  constexpr const char* name = "activation_bwd";
  require_gradient_from_output(name, act);
  const Node &out = usable(name, y), &seed = usable(name, dy), &result = usable(name, dx);
  require_floats(name, "y", out, out.shape);
  require_floats(name, "dy", seed, out.shape);
  require_floats(name, "dx", result, out.shape);
  require_apart(name, "dx", result, {&out, &seed});
  const NoGrad guard;
  apply_in_place(
      name, {&dx, &y, &dy}, 1, accept,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        launch_activation_bwd(stream, *nodes[1], *nodes[2], write(*nodes[0]), attrs.as<Activation>());
      },
      Attrs(act));
}

void add_bias(const Tensor& x, const Tensor& b, const Tensor& y) {
  constexpr const char* name = "add_bias";
  const Node &in = usable(name, x), &bias = usable(name, b), &out = usable(name, y);
  if (in.shape.rank() < 1) throw ShapeError(name, cat("x is ", in.shape, "; wanted at least one axis"));
  require_floats(name, "x", in, in.shape);
  require_floats(name, "b", bias, {in.shape[-1]});
  require_floats(name, "y", out, in.shape);
  require_apart(name, "y", out, {&in, &bias});
  const NoGrad guard;
  apply_in_place(
      name, {&y, &x, &b}, 1, accept,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs&) {
        const std::int64_t columns = nodes[2]->numel;
        const ColumnParams p{
            .shifts = {}, .rows = static_cast<std::uint32_t>(nodes[0]->numel / columns), .columns = static_cast<std::uint32_t>(columns)};
        stream.launch(add_bias_kernel, {read(*nodes[1]), read(*nodes[2]), write(*nodes[0])}, p, {p.rows * p.columns, 1, 1});
      },
      Attrs{});
}

}  // namespace raw
}  // namespace tidepool::inline v0
