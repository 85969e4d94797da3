#include <tidepool/nn.h>

#include "nn/init.h"

namespace tidepool::inline v0::nn {

Embedding::Embedding(std::int64_t count, std::int64_t size) {
  require_sizes("Embedding", {{"count", count}, {"size", size}});
  weight = parameter("weight", randn({count, size}));
}
Tensor Embedding::forward(const Tensor& x) { return embedding(weight, x); }
std::string Embedding::kind() const { return "Embedding"; }

}  // namespace tidepool::inline v0::nn
