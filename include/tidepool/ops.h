// Operations: on every device, differentiable, with NumPy's broadcasting.
//
//     tp::Tensor hidden = tp::relu(tp::matmul(x, w1) + b1);
//     tp::Tensor loss = tp::mean(tp::square(tp::matmul(hidden, w2) + b2 - y));
#pragma once

#include <tidepool/tensor.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace tidepool::inline v0 {

// What `linear` and `conv2d` do to their result.
enum class Activation { none, relu, sigmoid, tanh, gelu };

TIDEPOOL_API Tensor add(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor sub(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor mul(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor div(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor maximum(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor minimum(const Tensor& a, const Tensor& b);

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
inline Tensor add(const Tensor& a, float b) { return a + b; }
inline Tensor add(float a, const Tensor& b) { return a + b; }
inline Tensor sub(const Tensor& a, float b) { return a - b; }
inline Tensor sub(float a, const Tensor& b) { return a - b; }
inline Tensor mul(const Tensor& a, float b) { return a * b; }
inline Tensor mul(float a, const Tensor& b) { return a * b; }
inline Tensor div(const Tensor& a, float b) { return a / b; }
inline Tensor div(float a, const Tensor& b) { return a / b; }

// u8: 1 where it holds.
TIDEPOOL_API Tensor eq(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor ne(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor lt(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor le(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor gt(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor ge(const Tensor& a, const Tensor& b);
TIDEPOOL_API Tensor eq(const Tensor& a, float b);
TIDEPOOL_API Tensor ne(const Tensor& a, float b);
TIDEPOOL_API Tensor lt(const Tensor& a, float b);
TIDEPOOL_API Tensor le(const Tensor& a, float b);
TIDEPOOL_API Tensor gt(const Tensor& a, float b);
TIDEPOOL_API Tensor ge(const Tensor& a, float b);
TIDEPOOL_API Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

TIDEPOOL_API Tensor neg(const Tensor& a);
inline Tensor operator-(const Tensor& a) { return neg(a); }
TIDEPOOL_API Tensor square(const Tensor& a);
TIDEPOOL_API Tensor sqrt(const Tensor& a);
TIDEPOOL_API Tensor exp(const Tensor& a);
TIDEPOOL_API Tensor abs(const Tensor& a);
TIDEPOOL_API Tensor log(const Tensor& a);
TIDEPOOL_API Tensor pow(const Tensor& a, float exponent);
TIDEPOOL_API Tensor sin(const Tensor& a);
TIDEPOOL_API Tensor cos(const Tensor& a);
TIDEPOOL_API Tensor clamp(const Tensor& a, float low, float high);
TIDEPOOL_API Tensor relu(const Tensor& a);
TIDEPOOL_API Tensor leaky_relu(const Tensor& a, float slope = 0.01F);
TIDEPOOL_API Tensor sigmoid(const Tensor& a);
TIDEPOOL_API Tensor tanh(const Tensor& a);
TIDEPOOL_API Tensor gelu(const Tensor& a);
TIDEPOOL_API Tensor silu(const Tensor& a);
TIDEPOOL_API Tensor softplus(const Tensor& a);
TIDEPOOL_API Tensor softsign(const Tensor& a);

TIDEPOOL_API Tensor dropout(const Tensor& x, double p = 0.5, bool training = true);

TIDEPOOL_API Tensor sum(const Tensor& a);
TIDEPOOL_API Tensor sum(const Tensor& a, std::int64_t axis, bool keepdim = false);
TIDEPOOL_API Tensor sum(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim = false);
TIDEPOOL_API Tensor mean(const Tensor& a);
TIDEPOOL_API Tensor mean(const Tensor& a, std::int64_t axis, bool keepdim = false);
TIDEPOOL_API Tensor mean(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim = false);

// Largest and smallest; NaN where there is one. The gradient goes to the first of several along one axis, and in equal
// shares to all of them in the other forms.
TIDEPOOL_API Tensor(max)(const Tensor& a);
TIDEPOOL_API Tensor(max)(const Tensor& a, std::int64_t axis, bool keepdim = false);
TIDEPOOL_API Tensor(max)(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim = false);
TIDEPOOL_API Tensor(min)(const Tensor& a);
TIDEPOOL_API Tensor(min)(const Tensor& a, std::int64_t axis, bool keepdim = false);
TIDEPOOL_API Tensor(min)(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim = false);
TIDEPOOL_API Tensor var(const Tensor& a);  // divided by one less than the number of elements
TIDEPOOL_API Tensor var(const Tensor& a, std::int64_t axis, bool keepdim = false);
TIDEPOOL_API Tensor var(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim = false);
TIDEPOOL_API Tensor norm(const Tensor& a);  // the root of the sum of squares
TIDEPOOL_API Tensor norm(const Tensor& a, std::int64_t axis, bool keepdim = false);
TIDEPOOL_API Tensor norm(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim = false);
TIDEPOOL_API Tensor argmax(const Tensor& a, std::int64_t axis, bool keepdim = false);  // i32; the first of several; NaN is the largest

TIDEPOOL_API Tensor softmax(const Tensor& a, std::int64_t axis);
TIDEPOOL_API Tensor log_softmax(const Tensor& a, std::int64_t axis);

struct BatchNormOptions {
  bool training = true;  // normalise by the batch and update the running statistics; otherwise normalise by those
  double momentum = 0.1;
  double eps = 1e-5;
};
// x [n, c] or [n, c, h, w], the others [c].
TIDEPOOL_API Tensor batch_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, const Tensor& running_mean,
                               const Tensor& running_var, const BatchNormOptions& options = {});
TIDEPOOL_API Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps = 1e-5);  // over the last axis

// Losses: the mean over all elements, of shape []. pred and target have one shape.
TIDEPOOL_API Tensor mse_loss(const Tensor& pred, const Tensor& target);
TIDEPOOL_API Tensor l1_loss(const Tensor& pred, const Tensor& target);
TIDEPOOL_API Tensor huber_loss(const Tensor& pred, const Tensor& target);  // a parabola up to a distance of 1, then a line
TIDEPOOL_API Tensor bce_loss(const Tensor& pred, const Tensor& target);    // pred from 0 to 1; logarithms end at -100
TIDEPOOL_API Tensor bce_with_logits(const Tensor& pred, const Tensor& target);
// logits [n, classes], labels i32 [n] from 0 to classes - 1; the mean over the n rows.
TIDEPOOL_API Tensor cross_entropy(const Tensor& logits, const Tensor& labels);
TIDEPOOL_API Tensor accuracy(const Tensor& logits, const Tensor& labels);  // the share of rows whose argmax is the label
// How often each class was predicted: [classes, classes] i32, rows are labels.
TIDEPOOL_API Tensor confusion_matrix(const Tensor& pred, const Tensor& label, std::int64_t classes);

TIDEPOOL_API Tensor matmul(const Tensor& a, const Tensor& b);  // [m, k] x [k, n]; batches and vectors as in PyTorch
// x [n, in], w [out, in], b [out] or {}: x · wᵀ + b, and the activation in one go.
TIDEPOOL_API Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b = {}, Activation activation = Activation::none);
TIDEPOOL_API Tensor transpose(const Tensor& a);  // the last two axes
TIDEPOOL_API Tensor permute(const Tensor& a, std::initializer_list<std::int64_t> axes);
TIDEPOOL_API Tensor permute(const Tensor& a, std::span<const std::int64_t> axes);
TIDEPOOL_API Tensor nchw_to_nhwc(const Tensor& x);
TIDEPOOL_API Tensor nhwc_to_nchw(const Tensor& x);
TIDEPOOL_API Tensor broadcast_to(const Tensor& a, const Shape& shape);
TIDEPOOL_API Tensor concat(std::initializer_list<Tensor> tensors, std::int64_t axis);
TIDEPOOL_API Tensor concat(std::span<const Tensor> tensors, std::int64_t axis);
TIDEPOOL_API Tensor stack(std::initializer_list<Tensor> tensors, std::int64_t axis);  // along a new axis
TIDEPOOL_API Tensor stack(std::span<const Tensor> tensors, std::int64_t axis);
// So many parts along the axis, whose sizes differ by at most one; along axis 0 they are views.
TIDEPOOL_API std::vector<Tensor> split(const Tensor& a, std::int64_t parts, std::int64_t axis = 0);

// Indices are i32 and checked on the device: a wrong one makes the next item(), to_host() or sync() throw ArgumentError.
TIDEPOOL_API Tensor gather(const Tensor& a, std::int64_t axis, const Tensor& index);  // of index's shape
TIDEPOOL_API Tensor embedding(const Tensor& table, const Tensor& index);              // rows of the table: index's shape, then the row's
TIDEPOOL_API Tensor one_hot(const Tensor& labels, std::int64_t classes);              // f32; a new last axis

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
