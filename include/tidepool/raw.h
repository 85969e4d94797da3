// Operations without gradients, for people who write their own backward pass. Outputs are written into.
#pragma once

#include <tidepool/ops.h>
#include <tidepool/tensor.h>

#include <cstdint>

namespace tidepool::inline v0 {

struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  std::int64_t step = 1;  // counts from 1
};

struct SgdOptions {
  double lr = 1e-2;
  double momentum = 0;
  double weight_decay = 0;
  bool nesterov = false;
};

namespace raw {

// dpred = scale * (pred - target). With scale = 2 / numel it is the gradient of mse_loss.
TIDEPOOL_API void mse_grad(const Tensor& pred, const Tensor& target, double scale, const Tensor& dpred);
// dlogits = scale * (softmax(logits) - one_hot(labels)). With scale = 1 / n it is the gradient of cross_entropy.
TIDEPOOL_API void cross_entropy_grad(const Tensor& logits, const Tensor& labels, double scale, const Tensor& dlogits);
// Adds to cm, [classes, classes] i32, as confusion_matrix counts.
TIDEPOOL_API void update_confusion_matrix(const Tensor& pred, const Tensor& label, const Tensor& cm);

// One step of Adam in place: w, m and v are updated from the gradient g.
TIDEPOOL_API void adam_step(const Tensor& w, const Tensor& g, const Tensor& m, const Tensor& v, const AdamOptions& options = {});
// One step of SGD in place: velocity = momentum * velocity + g, w -= lr * velocity. Without momentum the velocity is left
// alone and may be {}.
TIDEPOOL_API void sgd_step(const Tensor& w, const Tensor& g, const Tensor& velocity, const SgdOptions& options = {});

// The indices (i32) say where in its plane of h * w elements each was. dx is overwritten.
TIDEPOOL_API void maxpool2d_fwd(const Tensor& x, const PoolOptions& options, const Tensor& y, const Tensor& indices);
TIDEPOOL_API void maxpool2d_bwd(const Tensor& dy, const Tensor& indices, const Tensor& dx);

TIDEPOOL_API void im2col(const Tensor& x, const Im2colOptions& options, const Tensor& columns);
TIDEPOOL_API void col2im(const Tensor& columns, const Im2colOptions& options, const Tensor& x);

// The gradients are those before the activation: see activation_bwd.
TIDEPOOL_API void conv2d_fwd(const Tensor& x, const Tensor& w, const Tensor& b, const Conv2dOptions& options, const Tensor& y);
TIDEPOOL_API void conv2d_bwd_input(const Tensor& dy, const Tensor& w, const Conv2dOptions& options, const Tensor& dx);
TIDEPOOL_API void conv2d_bwd_weights(const Tensor& dy, const Tensor& x, const Conv2dOptions& options, const Tensor& dw);
TIDEPOOL_API void conv2d_bwd_bias(const Tensor& dy, const Tensor& db);

// y = act(x · wᵀ + b), with x [n, in], w [out, in], b [out] or {}, y [n, out].
TIDEPOOL_API void linear_fwd(const Tensor& x, const Tensor& w, const Tensor& b, Activation act, const Tensor& y);
// From dy, and from the y that linear_fwd gave (or {} without an activation): dx, dw, db, of which any may be {}. Gelu is
// refused: its y does not tell its gradient.
TIDEPOOL_API void linear_bwd(const Tensor& dy, const Tensor& x, const Tensor& w, const Tensor& y, Activation act, const Tensor& dx,
                             const Tensor& dw, const Tensor& db);
TIDEPOOL_API void activation_bwd(Activation act, const Tensor& y, const Tensor& dy, const Tensor& dx);
TIDEPOOL_API void add_bias(const Tensor& x, const Tensor& b, const Tensor& y);  // b along x's last axis

}  // namespace raw
}  // namespace tidepool::inline v0
