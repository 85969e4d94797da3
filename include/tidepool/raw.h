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

namespace raw {

// One step of Adam in place: w, m and v are updated from the gradient g.
TIDEPOOL_API void adam_step(const Tensor& w, const Tensor& g, const Tensor& m, const Tensor& v, const AdamOptions& options = {});

// The indices (i32) say where in its plane of h * w elements each was. dx is overwritten.
TIDEPOOL_API void maxpool2d_fwd(const Tensor& x, const PoolOptions& options, const Tensor& y, const Tensor& indices);
TIDEPOOL_API void maxpool2d_bwd(const Tensor& dy, const Tensor& indices, const Tensor& dx);

}  // namespace raw
}  // namespace tidepool::inline v0
