#include <tidepool/nn.h>

namespace tidepool::inline v0::nn {

Tensor MaxPool2d::forward(const Tensor& x) { return max_pool2d(x, options_); }
std::string MaxPool2d::kind() const { return "MaxPool2d"; }

Tensor AvgPool2d::forward(const Tensor& x) { return avg_pool2d(x, options_); }
std::string AvgPool2d::kind() const { return "AvgPool2d"; }

}  // namespace tidepool::inline v0::nn
