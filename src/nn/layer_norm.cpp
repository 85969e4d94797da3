#include <tidepool/nn.h>

#include "nn/init.h"

namespace tidepool::inline v0::nn {

LayerNorm::LayerNorm(std::int64_t size, double eps) : eps_(eps) {
  require_sizes("LayerNorm", {{"size", size}});
  weight = parameter("weight", ones({size}));
  bias = parameter("bias", zeros({size}));
}
Tensor LayerNorm::forward(const Tensor& x) { return layer_norm(x, weight, bias, eps_); }
std::string LayerNorm::kind() const { return "LayerNorm"; }

}  // namespace tidepool::inline v0::nn
