#include "ops/conv/conv.h"

#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/ops.h>
#include <tidepool/raw.h>

#include "ops/conv/conv_ops.h"
#include "ops/conv/image.h"
#include "ops/elementwise/elementwise.h"
#include "ops/linear/linear.h"

#include <vector>

namespace tidepool::inline v0 {

namespace {

ConvParams params_of(const OpCall& call) {
  return conv_params("conv2d", call.in[0]->shape, call.in[1]->shape, call.attrs.as<Conv2dOptions>());
}

void conv2d_rule(const OpCall& call, Node& out) {
  require_dtype(call, DType::f32);
  const ConvParams p = params_of(call);
  if (call.in.size() > 2) require_shape("conv2d", "the bias", *call.in[2], {p.o});
  out.become("conv2d", output_shape(p), DType::f32);
}

void conv2d_run(const OpCall& call, Stream& stream, Node& out) {
  launch_forward(stream, params_of(call), *call.in[0], *call.in[1], call.in.size() > 2 ? call.in[2] : nullptr, out);
}

// For the gradient only.
constexpr OpDef activation_gradient{
    .name = "conv2d",
    .rule = [](const OpCall& call, Node& out) { out.become_like(*call.in[0]); },
    .run = [](const OpCall& call, Stream& stream,
              Node& out) { launch_activation_bwd(stream, *call.in[0], *call.in[1], write(out), call.attrs.as<Activation>()); },
};

// Of the result before the activation.
Tensor before_activation(const Grad& g, Activation activation) {
  if (activation == Activation::none) return g.dout;
  const Tensor y = g.out();
  return apply(activation_gradient, {&y, &g.dout}, activation);
}

Tensors conv2d_gradient(const Grad& g) {
  const auto options = g.attrs<Conv2dOptions>();
  const ConvParams p = conv_params("conv2d", g.shape(0), g.shape(1), options);
  const Tensor d = before_activation(g, options.activation);
  Tensors gradients(g.inputs());
  if (g.needs(0)) gradients[0] = input_gradient("conv2d", p, d, g.in(1));
  const bool of_bias = g.inputs() > 2 && g.needs(2);
  if (g.needs(1) && of_bias) {
    auto [of_weights, of_b] = parameter_gradients("conv2d", p, d, g.in(0));
    gradients[1] = of_weights;
    gradients[2] = of_b;
  } else if (g.needs(1)) {
    gradients[1] = weights_gradient("conv2d", p, d, g.in(0));
  } else if (of_bias) {
    gradients[2] = bias_gradient("conv2d", d);
  }
  return gradients;
}

// With an activation the gradient starts from the result.
constexpr OpDef conv2d_op(bool activated) {
  return {.name = "conv2d",
          .rule = conv2d_rule,
          .run = conv2d_run,
          .gradient = conv2d_gradient,
          .saves = activated ? Saves::both : Saves::inputs};
}

}  // namespace

namespace ops {
namespace {
constexpr OpDef conv2d = conv2d_op(false), activated_conv2d = conv2d_op(true);
}  // namespace
}  // namespace ops

void register_conv(Operations& all) {
  all.push_back(&ops::conv2d);
  register_transposed(all);
  register_columns(all);
}

Tensor conv2d(const Tensor& x, const Tensor& w, const Tensor& b, const Conv2dOptions& options) {
  if (options.activation == Activation::gelu) {  // its gradient wants what comes before it
    Conv2dOptions plain = options;
    plain.activation = Activation::none;
    return gelu(conv2d(x, w, b, plain));
  }
  const OpDef& op = options.activation == Activation::none ? ops::conv2d : ops::activated_conv2d;
  return b.defined() ? apply(op, {&x, &w, &b}, options) : apply(op, {&x, &w}, options);
}

namespace raw {

namespace {
// A convolution of these shapes gives this y.
ConvParams fitting(const char* operation, const Node& x, const Node& w, const Node& y, const char* name_of_y,
                   const Conv2dOptions& options) {
  for (const Node* node : {&x, &w, &y}) require_type(operation, "a tensor", *node, DType::f32);
  const ConvParams p = conv_params(operation, x.shape, w.shape, options);
  require_shape(operation, name_of_y, y, output_shape(p));
  return p;
}
}  // namespace

void conv2d_fwd(const Tensor& x, const Tensor& w, const Tensor& b, const Conv2dOptions& options, const Tensor& y) {
  constexpr const char* name = "conv2d_fwd";
  const NoGrad guard;
  const Node &from = usable(name, x), &weights = usable(name, w), &to = usable(name, y);
  const ConvParams p = fitting(name, from, weights, to, "y", options);
  require_apart(name, "y", to, {&from, &weights});
  std::vector<const Tensor*> tensors{&y, &x, &w};
  if (b.defined()) {
    const Node& bias = usable(name, b);
    require_type(name, "the bias", bias, DType::f32);
    require_shape(name, "the bias", bias, {p.o});
    require_apart(name, "y", to, {&bias});
    tensors.push_back(&b);
  }
  apply_in_place(
      name, tensors, 1, nullptr,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        auto params = attrs.as<ConvParams>();
        const auto launch = [&](const Node& out) {
          launch_forward(stream, params, *nodes[1], *nodes[2], nodes.size() > 3 ? nodes[3] : nullptr, out);
        };
        if (params.activation != static_cast<std::uint32_t>(Activation::gelu)) return launch(*nodes[0]);
        params.activation = static_cast<std::uint32_t>(Activation::none);
        launch_before_gelu(stream, name, *nodes[0], launch);
      },
      Attrs(p));
}

void conv2d_bwd_input(const Tensor& dy, const Tensor& w, const Conv2dOptions& options, const Tensor& dx) {
  constexpr const char* name = "conv2d_bwd_input";
  const Node &from = usable(name, dy), &weights = usable(name, w), &to = usable(name, dx);
  const ConvParams p = fitting(name, to, weights, from, "dy", options);
  require_apart(name, "dx", to, {&from, &weights});
  write_input_gradient(name, p, dy, w, dx);
}

void conv2d_bwd_weights(const Tensor& dy, const Tensor& x, const Conv2dOptions& options, const Tensor& dw) {
  constexpr const char* name = "conv2d_bwd_weights";
  const Node &from = usable(name, dy), &images = usable(name, x), &to = usable(name, dw);
  const ConvParams p = fitting(name, images, to, from, "dy", options);
  require_apart(name, "dw", to, {&from, &images});
  write_weights_gradient(name, p, dy, x, dw);
}

void conv2d_bwd_bias(const Tensor& dy, const Tensor& db) {
  constexpr const char* name = "conv2d_bwd_bias";
  const Node &from = usable(name, dy), &to = usable(name, db);
  require_image(name, from);
  require_type(name, "db", to, DType::f32);
  require_shape(name, "db", to, {from.shape[1]});
  require_apart(name, "db", to, {&from});
  write_bias_gradient(name, dy, db);
}

}  // namespace raw
}  // namespace tidepool::inline v0
