// What the files of the conv family share: the parameters of a convolution, checked, and the launches of its products.
#pragma once

#include <tidepool/ops.h>

#include "ops/conv/conv.h"

namespace tidepool::inline v0 {

// Of images of shape x with weights of shape w. Throws where they do not fit.
ConvParams conv_params(const char* operation, const Shape& x, const Shape& w, const Conv2dOptions& options);
inline Shape input_shape(const ConvParams& p) { return {p.n, p.c, p.h, p.w}; }
inline Shape output_shape(const ConvParams& p) { return {p.n, p.o, p.oh, p.ow}; }
inline Shape weights_shape(const ConvParams& p) { return {p.o, p.c / p.groups, p.kh, p.kw}; }

// The products. A bias may be null; that of the input's gradient is for transposed convolutions.
void launch_forward(Stream& stream, const ConvParams& p, const Node& x, const Node& w, const Node* b, const Node& y);
void launch_input(Stream& stream, const ConvParams& p, const Node& dy, const Node& w, const Node* b, const Node& dx);

// Gradients as new tensors, or written into one that fits.
Tensor input_gradient(const char* operation, const ConvParams& p, const Tensor& dy, const Tensor& w);
Tensor weights_gradient(const char* operation, const ConvParams& p, const Tensor& dy, const Tensor& x);
struct ParameterGradients {
  Tensor weights, bias;
};
ParameterGradients parameter_gradients(const char* operation, const ConvParams& p, const Tensor& dy, const Tensor& x);
Tensor bias_gradient(const char* operation, const Tensor& dy);  // the sum of each channel
void write_input_gradient(const char* operation, const ConvParams& p, const Tensor& dy, const Tensor& w, const Tensor& dx);
void write_weights_gradient(const char* operation, const ConvParams& p, const Tensor& dy, const Tensor& x, const Tensor& dw);
void write_bias_gradient(const char* operation, const Tensor& dy, const Tensor& db);

void register_columns(Operations& all);
void register_transposed(Operations& all);

}  // namespace tidepool::inline v0
