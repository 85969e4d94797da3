#include <tidepool/nn.h>

namespace tidepool::inline v0::nn {

Tensor ReLU::forward(const Tensor& x) { return relu(x); }
std::string ReLU::kind() const { return "ReLU"; }

Tensor Sigmoid::forward(const Tensor& x) { return sigmoid(x); }
std::string Sigmoid::kind() const { return "Sigmoid"; }

Tensor Tanh::forward(const Tensor& x) { return tanh(x); }
std::string Tanh::kind() const { return "Tanh"; }

Tensor GELU::forward(const Tensor& x) { return gelu(x); }
std::string GELU::kind() const { return "GELU"; }

Tensor SiLU::forward(const Tensor& x) { return silu(x); }
std::string SiLU::kind() const { return "SiLU"; }

Tensor LeakyReLU::forward(const Tensor& x) { return leaky_relu(x, static_cast<float>(slope_)); }
std::string LeakyReLU::kind() const { return "LeakyReLU"; }

Tensor Softmax::forward(const Tensor& x) { return softmax(x, axis_); }
std::string Softmax::kind() const { return "Softmax"; }

}  // namespace tidepool::inline v0::nn
