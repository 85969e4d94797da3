// Layers. Parameters begin as PyTorch's do.
//
//     tp::nn::Sequential net{tp::nn::Conv2d(1, 32, {.kernel = 3, .padding = 1}), tp::nn::ReLU(), tp::nn::MaxPool2d(2),
//                            tp::nn::Flatten(), tp::nn::Linear(6272, 10)};
//     tp::Tensor y = net(x);
#pragma once

#include <tidepool/module.h>

namespace tidepool::inline v0::nn {

// One layer after the other. A Linear or Conv2d and the activation after it are one operation; between a Conv2d and a MaxPool2d a ReLU
// joins the latter, which has fewer elements.
class TIDEPOOL_API Sequential : public Module {
 public:
  Sequential() = default;
  template <std::derived_from<Module>... M>
    requires(sizeof...(M) > 0)
  explicit Sequential(M... layers) {
    (add(std::move(layers)), ...);
  }
  template <std::derived_from<Module> M>
  Sequential& add(M layer) {
    return add(AnyModule(std::move(layer)));
  }
  Sequential& add(AnyModule layer);
  std::int64_t size() const { return static_cast<std::int64_t>(layers_.size()); }
  Module& operator[](std::int64_t i) const;
  Sequential clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;

 private:
  std::vector<AnyModule> layers_;
};

// x + inner(x), where inner is a sequence.
class TIDEPOOL_API Residual : public Sequential {
 public:
  using Sequential::Sequential;
  explicit Residual(const Sequential& inner) { add(inner); }
  Residual clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;
};

struct LinearOptions {
  bool bias = true;
};
class TIDEPOOL_API Linear : public Module {  // x [n, in] → [n, out]
 public:
  explicit Linear(std::int64_t in, std::int64_t out, const LinearOptions& options = {});
  Linear clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;
  std::optional<Tensor> forward_with(const Tensor& x, Activation activation) override;

  Parameter weight, bias;  // [out, in], [out]
};

struct Conv2dOptions {
  std::int64_t kernel = 3;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
};
class TIDEPOOL_API Conv2d : public Module {  // x [n, in, h, w]
 public:
  explicit Conv2d(std::int64_t in, std::int64_t out, const Conv2dOptions& options = {});
  Conv2d clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;
  std::optional<Tensor> forward_with(const Tensor& x, Activation activation) override;

  Parameter weight, bias;  // [out, in / groups, kernel, kernel], [out]

 private:
  Conv2dOptions options_;
};

struct ConvTranspose2dOptions {
  std::int64_t kernel = 3;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t output_padding = 0;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
};
class TIDEPOOL_API ConvTranspose2d : public Module {
 public:
  explicit ConvTranspose2d(std::int64_t in, std::int64_t out, const ConvTranspose2dOptions& options = {});
  ConvTranspose2d clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;

  Parameter weight, bias;  // [in, out / groups, kernel, kernel], [out]

 private:
  ConvTranspose2dOptions options_;
};

class TIDEPOOL_API MaxPool2d : public Module {
 public:
  MaxPool2d() : MaxPool2d(PoolOptions()) {}
  explicit MaxPool2d(std::int64_t kernel) : MaxPool2d(PoolOptions{.kernel = kernel, .stride = 0, .padding = 0}) {}
  explicit MaxPool2d(const PoolOptions& options) : options_(options) {}
  MaxPool2d clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::optional<Tensor> forward_with(const Tensor& x, Activation activation) override;
  bool commutes_with(Activation activation) const override { return activation == Activation::relu; }
  std::string kind() const override;

 private:
  PoolOptions options_;
};

class TIDEPOOL_API AvgPool2d : public Module {
 public:
  AvgPool2d() : AvgPool2d(PoolOptions()) {}
  explicit AvgPool2d(std::int64_t kernel) : AvgPool2d(PoolOptions{.kernel = kernel, .stride = 0, .padding = 0}) {}
  explicit AvgPool2d(const PoolOptions& options) : options_(options) {}
  AvgPool2d clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;

 private:
  PoolOptions options_;
};

class TIDEPOOL_API Flatten : public Module {  // all axes but the first become one
 public:
  Flatten() : Flatten(1) {}
  explicit Flatten(std::int64_t from_axis) : from_axis_(from_axis) {}
  Flatten clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;

 private:
  std::int64_t from_axis_;
};

class TIDEPOOL_API ReLU : public Module {
 public:
  ReLU clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;
  Activation activation() const override { return Activation::relu; }
};
class TIDEPOOL_API Sigmoid : public Module {
 public:
  Sigmoid clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;
  Activation activation() const override { return Activation::sigmoid; }
};
class TIDEPOOL_API Tanh : public Module {
 public:
  Tanh clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;
  Activation activation() const override { return Activation::tanh; }
};
class TIDEPOOL_API GELU : public Module {
 public:
  GELU clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;
  Activation activation() const override { return Activation::gelu; }
};
class TIDEPOOL_API SiLU : public Module {
 public:
  SiLU clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;
};
class TIDEPOOL_API LeakyReLU : public Module {
 public:
  LeakyReLU() : LeakyReLU(0.01) {}
  explicit LeakyReLU(double slope) : slope_(slope) {}
  LeakyReLU clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;

 private:
  double slope_;
};
class TIDEPOOL_API Softmax : public Module {
 public:
  Softmax() : Softmax(-1) {}
  explicit Softmax(std::int64_t axis) : axis_(axis) {}
  Softmax clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;

 private:
  std::int64_t axis_;
};

class TIDEPOOL_API Dropout : public Module {
 public:
  Dropout() : Dropout(0.5) {}
  explicit Dropout(double p);
  Dropout clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;

 private:
  double p_;
};

struct BatchNorm2dOptions {
  double momentum = 0.1;
  double eps = 1e-5;
};
class TIDEPOOL_API BatchNorm2d : public Module {  // x [n, channels, h, w]
 public:
  explicit BatchNorm2d(std::int64_t channels, const BatchNorm2dOptions& options = {});
  BatchNorm2d clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;

  Parameter weight, bias, running_mean, running_var;  // [channels]

 private:
  BatchNorm2dOptions options_;
};

class TIDEPOOL_API LayerNorm : public Module {  // over the last axis
 public:
  explicit LayerNorm(std::int64_t size, double eps = 1e-5);
  LayerNorm clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;

  Parameter weight, bias;  // [size]

 private:
  double eps_;
};

class TIDEPOOL_API Embedding : public Module {  // i32 indices → rows of the table
 public:
  explicit Embedding(std::int64_t count, std::int64_t size);
  Embedding clone() const { return nn::clone(*this); }
  Tensor forward(const Tensor& x) override;
  std::string kind() const override;

  Parameter weight;  // [count, size]
};

}  // namespace tidepool::inline v0::nn
