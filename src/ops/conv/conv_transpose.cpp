// A transposed convolution: the convolution whose input has the shape of our result, run the other way.
#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/conv/conv_ops.h"
#include "ops/conv/image.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

constexpr const char* name = "conv2d_transpose";

std::int64_t size_along(const char* axis, std::int64_t size, std::int64_t kernel, const ConvTranspose2dOptions& o) {
  const std::int64_t result = (size - 1) * o.stride - 2 * o.padding + o.dilation * (kernel - 1) + o.output_padding + 1;
  if (result < 1) throw ShapeError(name, cat("the result would have a ", axis, " of ", result, "; wanted 1 or more"));
  require_padded(name, axis, result + 2 * o.padding);
  return result;
}

void require_options(const ConvTranspose2dOptions& o) {
  require_option(name, "stride", o.stride, 1);
  require_option(name, "padding", o.padding, 0);
  require_option(name, "output_padding", o.output_padding, 0);
  require_option(name, "dilation", o.dilation, 1);
  require_option(name, "groups", o.groups, 1);
  if (o.output_padding >= std::max(o.stride, o.dilation))
    throw ArgumentError(
        name, cat("output_padding is ", o.output_padding, "; wanted less than the stride, ", o.stride, ", or the dilation, ", o.dilation));
}

// Of the convolution: our input is its y, our result its x.
ConvParams transposed_params(const Shape& x, const Shape& w, const ConvTranspose2dOptions& o) {
  require_options(o);
  if (x.rank() != 4 || w.rank() != 4)
    throw ShapeError(name, cat("got images ", x, " and weights ", w, "; wanted [n, c, h, w] and [c, out / groups, kh, kw]"));
  require_sizes(name, x);
  require_sizes(name, w);
  require_sizes(name, {w[1] * o.groups});
  require_plane(name, x[2], x[3]);
  if (x[1] != w[0] || x[1] % o.groups != 0)
    throw ShapeError(name, cat("images ", x, " do not fit weights ", w, " in ", o.groups, " groups; wanted [c, out / groups, kh, kw]"));
  if (w[2] < 1 || w[3] < 1) throw ShapeError(name, cat("weights ", w, " have an empty window"));
  if (x[2] < 1 || x[3] < 1) throw ShapeError(name, cat("images ", x, " have no elements along an axis"));
  const std::int64_t height = size_along("height", x[2], w[2], o), width = size_along("width", x[3], w[3], o);
  require_plane(name, height, width);
  return {.shifts = {},
          .n = to_count(x[0]),
          .c = to_count(w[1] * o.groups),
          .h = to_count(height),
          .w = to_count(width),
          .o = to_count(x[1]),
          .oh = to_count(x[2]),
          .ow = to_count(x[3]),
          .kh = to_count(w[2]),
          .kw = to_count(w[3]),
          .stride = to_count(o.stride),
          .padding = to_count(o.padding),
          .dilation = to_count(o.dilation),
          .groups = to_count(o.groups),
          .activation = 0};
}
ConvParams transposed_params(const OpCall& call) {
  return transposed_params(call.in[0]->shape, call.in[1]->shape, call.attrs.as<ConvTranspose2dOptions>());
}

void transposed_rule(const OpCall& call, Node& out) {
  require_dtype(call, DType::f32);
  const ConvParams p = transposed_params(call);
  if (call.in.size() > 2) require_shape(name, "the bias", *call.in[2], {p.c});
  out.become(name, input_shape(p), DType::f32);
}

void transposed_run(const OpCall& call, Stream& stream, Node& out) {
  launch_input(stream, transposed_params(call), *call.in[0], *call.in[1], call.in.size() > 2 ? call.in[2] : nullptr, out);
}

// The gradient of the input is a convolution, of the parameters that it has.
constexpr OpDef transposed_input{
    .name = name,
    .rule = [](const OpCall& call, Node& out) { out.become(name, output_shape(call.attrs.as<ConvParams>()), DType::f32); },
    .run = [](const OpCall& call, Stream& stream,
              Node& out) { launch_forward(stream, call.attrs.as<ConvParams>(), *call.in[0], *call.in[1], nullptr, out); },
};

Tensors transposed_gradient(const Grad& g) {
  const ConvParams p = transposed_params(g.shape(0), g.shape(1), g.attrs<ConvTranspose2dOptions>());
  Tensors gradients(g.inputs());
  if (g.needs(0)) {
    const Tensor w = g.in(1);
    gradients[0] = apply(transposed_input, {&g.dout, &w}, p);
  }
  if (g.needs(1)) gradients[1] = weights_gradient(name, p, g.in(0), g.dout);
  if (g.inputs() > 2 && g.needs(2)) gradients[2] = bias_gradient(name, g.dout);
  return gradients;
}

}  // namespace

namespace ops {
namespace {
constexpr OpDef conv2d_transpose{.name = name, .rule = transposed_rule, .run = transposed_run, .gradient = transposed_gradient};
}  // namespace
}  // namespace ops

void register_transposed(Operations& all) { all.push_back(&ops::conv2d_transpose); }

Tensor conv2d_transpose(const Tensor& x, const Tensor& w, const Tensor& b, const ConvTranspose2dOptions& options) {
  return b.defined() ? apply(ops::conv2d_transpose, {&x, &w, &b}, options) : apply(ops::conv2d_transpose, {&x, &w}, options);
}

}  // namespace tidepool::inline v0
