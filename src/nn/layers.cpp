// Layers without parameters.
#include <tidepool/error.h>
#include <tidepool/nn.h>

#include "platform/cat.h"

namespace tidepool::inline v0::nn {

Tensor MaxPool2d::forward(const Tensor& x) { return max_pool2d(x, options_); }
std::string MaxPool2d::kind() const { return "MaxPool2d"; }

Tensor AvgPool2d::forward(const Tensor& x) { return avg_pool2d(x, options_); }
std::string AvgPool2d::kind() const { return "AvgPool2d"; }

Tensor Flatten::forward(const Tensor& x) { return x.flatten(from_axis_); }
std::string Flatten::kind() const { return "Flatten"; }

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

Dropout::Dropout(double p) : p_(p) {
  if (!(p >= 0 && p <= 1)) throw ArgumentError("Dropout", cat("p is ", p, "; wanted 0 to 1"));
}
Tensor Dropout::forward(const Tensor& x) { return dropout(x, p_, training()); }
std::string Dropout::kind() const { return "Dropout"; }

}  // namespace tidepool::inline v0::nn
