#include <tidepool/nn.h>

#include "nn/init.h"

namespace tidepool::inline v0::nn {

BatchNorm2d::BatchNorm2d(std::int64_t channels, const BatchNorm2dOptions& options) : options_(options) {
  require_sizes("BatchNorm2d", {{"channels", channels}});
  weight = parameter("weight", ones({channels}));
  bias = parameter("bias", zeros({channels}));
  running_mean = buffer("running_mean", zeros({channels}));
  running_var = buffer("running_var", ones({channels}));
  mix_batch();
}
Tensor BatchNorm2d::forward(const Tensor& x) {
  return batch_norm(x, weight, bias, running_mean, running_var,
                    {.training = training(), .momentum = options_.momentum, .eps = options_.eps});
}
std::string BatchNorm2d::kind() const { return "BatchNorm2d"; }

}  // namespace tidepool::inline v0::nn
