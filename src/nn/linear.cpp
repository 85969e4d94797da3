#include <tidepool/nn.h>

#include "core/checks.h"
#include "nn/init.h"

namespace tidepool::inline v0::nn {

void require_sizes(const char* layer, std::initializer_list<std::pair<const char*, std::int64_t>> sizes) {
  for (const auto& [name, size] : sizes) require_at_least(layer, name, size, 1);
}

Linear::Linear(std::int64_t in, std::int64_t out, const LinearOptions& options) {
  require_sizes("Linear", {{"in", in}, {"out", out}});
  weight = parameter("weight", uniform_init({out, in}, in));
  if (options.bias) bias = parameter("bias", uniform_init({out}, in));
}
Tensor Linear::forward(const Tensor& x) { return linear(x, weight, bias); }
std::optional<Tensor> Linear::forward_with(const Tensor& x, Activation activation) { return linear(x, weight, bias, activation); }
std::string Linear::kind() const { return "Linear"; }

}  // namespace tidepool::inline v0::nn
