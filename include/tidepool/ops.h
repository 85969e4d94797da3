// Operations: on every device, differentiable, with NumPy's broadcasting.
//
//     tp::Tensor hidden = tp::relu(tp::matmul(x, w1) + b1);
//     tp::Tensor loss = tp::mean(tp::square(tp::matmul(hidden, w2) + b2 - y));
#pragma once

#include <tidepool/tensor.h>

#include <cstdint>
#include <initializer_list>

namespace tidepool::inline v0 {

// What `linear` and `conv2d` do to their result.
enum class Activation { none, relu, sigmoid, tanh, gelu };

TIDEPOOL_API Tensor add(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor sub(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor mul(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor div(const Tensor& a, const Tensor& b);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
TIDEPOOL_API Tensor operator+(const Tensor& a, float b);
TIDEPOOL_API Tensor operator+(float a, const Tensor& b);
TIDEPOOL_API Tensor operator-(const Tensor& a, float b);
TIDEPOOL_API Tensor operator-(float a, const Tensor& b);
TIDEPOOL_API Tensor operator*(const Tensor& a, float b);
TIDEPOOL_API Tensor operator*(float a, const Tensor& b);
TIDEPOOL_API Tensor operator/(const Tensor& a, float b);
TIDEPOOL_API Tensor operator/(float a, const Tensor& b);

TIDEPOOL_API Tensor neg(const Tensor& a);
inline Tensor operator-(const Tensor& a) { return neg(a); }
TIDEPOOL_API Tensor square(const Tensor& a);
TIDEPOOL_API Tensor sqrt(const Tensor& a);
TIDEPOOL_API Tensor exp(const Tensor& a);
TIDEPOOL_API Tensor relu(const Tensor& a);
TIDEPOOL_API Tensor leaky_relu(const Tensor& a, float slope = 0.01F);
TIDEPOOL_API Tensor sigmoid(const Tensor& a);
TIDEPOOL_API Tensor tanh(const Tensor& a);

TIDEPOOL_API Tensor sum(const Tensor& a);
TIDEPOOL_API Tensor sum(const Tensor& a, std::int64_t axis, bool keepdim = false);
TIDEPOOL_API Tensor sum(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim = false);
TIDEPOOL_API Tensor mean(const Tensor& a);
TIDEPOOL_API Tensor mean(const Tensor& a, std::int64_t axis, bool keepdim = false);
TIDEPOOL_API Tensor mean(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim = false);

TIDEPOOL_API Tensor matmul(const Tensor& a, const Tensor& b);  // [m, k] x [k, n]; batches and vectors as in PyTorch
// x [n, in], w [out, in], b [out] or {}: x · wᵀ + b, and the activation in one go.
TIDEPOOL_API Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b = {}, Activation activation = Activation::none);
TIDEPOOL_API Tensor transpose(const Tensor& a);  // the last two axes
TIDEPOOL_API Tensor broadcast_to(const Tensor& a, const Shape& shape);

// Windows of images [n, c, h, w].
struct PoolOptions {
  std::int64_t kernel = 2;
  std::int64_t stride = 0;   // 0: the kernel's size
  std::int64_t padding = 0;  // at most half of the kernel
};
TIDEPOOL_API Tensor max_pool2d(const Tensor& x, const PoolOptions& options = {});
TIDEPOOL_API Tensor avg_pool2d(const Tensor& x, const PoolOptions& options = {});  // the padding counts as zeros
TIDEPOOL_API Tensor global_avg_pool2d(const Tensor& x);                            // [n, c, 1, 1]

struct Im2colOptions {
  std::int64_t kernel = 3;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
};
// [n, c * kernel * kernel, windows]: what each window has at (channel, row, column).
TIDEPOOL_API Tensor im2col(const Tensor& x, const Im2colOptions& options = {});
TIDEPOOL_API Tensor col2im(const Tensor& columns, const Shape& image_shape, const Im2colOptions& options = {});  // overlaps add up

struct Conv2dOptions {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  Activation activation = Activation::none;
};
// w [out, in / groups, kh, kw]; b [out] or {}.
TIDEPOOL_API Tensor conv2d(const Tensor& x, const Tensor& w, const Tensor& b = {}, const Conv2dOptions& options = {});

struct ConvTranspose2dOptions {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t output_padding = 0;  // less than the stride or the dilation
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
};
// w [in, out / groups, kh, kw]; b [out] or {}.
TIDEPOOL_API Tensor conv2d_transpose(const Tensor& x, const Tensor& w, const Tensor& b = {}, const ConvTranspose2dOptions& options = {});

}  // namespace tidepool::inline v0
