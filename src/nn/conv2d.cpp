#include <tidepool/error.h>
#include <tidepool/nn.h>

#include "nn/init.h"
#include "platform/cat.h"

namespace tidepool::inline v0::nn {

namespace {
void require_groups(const char* layer, std::int64_t in, std::int64_t out, std::int64_t groups) {
  if (in % groups != 0 || out % groups != 0)
    throw ArgumentError(layer, cat(in, " and ", out, " channels do not divide into ", groups, " groups"));
}
}  // namespace

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
