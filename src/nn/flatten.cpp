#include <tidepool/nn.h>

namespace tidepool::inline v0::nn {

Tensor Flatten::forward(const Tensor& x) { return x.flatten(from_axis_); }
std::string Flatten::kind() const { return "Flatten"; }

}  // namespace tidepool::inline v0::nn
