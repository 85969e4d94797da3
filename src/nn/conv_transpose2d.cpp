#include <tidepool/nn.h>

#include "nn/init.h"

namespace tidepool::inline v0::nn {

ConvTranspose2d::ConvTranspose2d(std::int64_t in, std::int64_t out, const ConvTranspose2dOptions& options) : options_(options) {
  require_sizes("ConvTranspose2d", {{"in", in}, {"out", out}, {"kernel", options.kernel}, {"groups", options.groups}});
  require_groups("ConvTranspose2d", in, out, options.groups);
  const std::int64_t fan_in = out / options.groups * options.kernel * options.kernel;  // as PyTorch counts it, from the weight's shape
  weight = parameter("weight", uniform_init({in, out / options.groups, options.kernel, options.kernel}, fan_in));
  if (options.bias) bias = parameter("bias", uniform_init({out}, fan_in));
}
Tensor ConvTranspose2d::forward(const Tensor& x) {
  return conv2d_transpose(x, weight, bias,
                          {.stride = options_.stride,
                           .padding = options_.padding,
                           .output_padding = options_.output_padding,
                           .dilation = options_.dilation,
                           .groups = options_.groups});
}
std::string ConvTranspose2d::kind() const { return "ConvTranspose2d"; }

}  // namespace tidepool::inline v0::nn
