#include <tidepool/nn.h>

#include "ops/pool/pool.h"

namespace tidepool::inline v0::nn {

Tensor MaxPool2d::forward(const Tensor& x) { return max_pool2d(x, options_); }
std::optional<Tensor> MaxPool2d::forward_with(const Tensor& x, Activation activation) {
  if (activation != Activation::relu) return std::nullopt;
  return max_pool2d_relu(x, options_);
}
std::string MaxPool2d::kind() const { return "MaxPool2d"; }

Tensor AvgPool2d::forward(const Tensor& x) { return avg_pool2d(x, options_); }
std::string AvgPool2d::kind() const { return "AvgPool2d"; }

}  // namespace tidepool::inline v0::nn
