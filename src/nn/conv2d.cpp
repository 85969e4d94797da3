#include <tidepool/error.h>
#include <tidepool/nn.h>

#include "nn/init.h"
#include "platform/cat.h"

namespace tidepool::inline v0::nn {

void require_groups(const char* layer, std::int64_t in, std::int64_t out, std::int64_t groups) {
  if (in % groups != 0 || out % groups != 0)
    throw ArgumentError(layer, cat(in, " and ", out, " channels do not divide into ", groups, " groups"));
}

Conv2d::Conv2d(std::int64_t in, std::int64_t out, const Conv2dOptions& options) : options_(options) {
  require_sizes("Conv2d", {{"in", in}, {"out", out}, {"kernel", options.kernel}, {"groups", options.groups}});
  require_groups("Conv2d", in, out, options.groups);
  const std::int64_t fan_in = in / options.groups * options.kernel * options.kernel;
  weight = parameter("weight", uniform_init({out, in / options.groups, options.kernel, options.kernel}, fan_in));
  if (options.bias) bias = parameter("bias", uniform_init({out}, fan_in));
}
Tensor Conv2d::forward(const Tensor& x) { return *forward_with(x, Activation::none); }
std::optional<Tensor> Conv2d::forward_with(const Tensor& x, Activation activation) {
  return conv2d(x, weight, bias,
                {.stride = options_.stride,
                 .padding = options_.padding,
                 .dilation = options_.dilation,
                 .groups = options_.groups,
                 .activation = activation});
}
std::string Conv2d::kind() const { return "Conv2d"; }

}  // namespace tidepool::inline v0::nn
