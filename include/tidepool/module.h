// Module: what layers and networks derive from. A module is a handle: copying it shares its parameters, clone() copies
// them. A layer of one's own names its parameters and its parts, and says what it does:
//
//     struct Gate : tp::nn::Module {
//       tp::nn::Linear inner = module("inner", tp::nn::Linear(8, 8));
//       tp::nn::Parameter scale = parameter("scale", tp::ones({8}));
//       tp::Tensor forward(const tp::Tensor& x) override { return x * tp::sigmoid(inner(x)) * scale; }
//     };
#pragma once

#include <tidepool/ops.h>
#include <tidepool/tensor.h>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidepool::inline v0::nn {

struct ModuleState;
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// A module's tensor, parameter or buffer. It is used like the Tensor that it stands for.
class TIDEPOOL_API Parameter {
 public:
  Parameter() = default;  // of a layer without: an empty tensor
  Parameter(const Parameter& other);
  Parameter(Parameter&&) noexcept = default;
  Parameter& operator=(const Parameter& other) = default;
  Parameter& operator=(Parameter&&) noexcept = default;
  ~Parameter() = default;
  const Tensor& tensor() const;
  operator const Tensor&() const { return tensor(); }  // NOLINT(google-explicit-constructor): it stands for one

 private:
  friend class Module;
  Parameter(std::shared_ptr<ModuleState> owner, std::size_t place) : owner_(std::move(owner)), place_(place) {}
  std::shared_ptr<ModuleState> owner_;
  std::size_t place_ = 0;
};

// Found for a Parameter as they are for the tensors.
using v0::operator+, v0::operator-, v0::operator*, v0::operator/;

class TIDEPOOL_API Module {
 public:
  Module();
  Module(const Module& other);
  Module(Module&& other) noexcept = default;
  Module& operator=(const Module& other) = default;
  Module& operator=(Module&& other) noexcept = default;
  virtual ~Module();

  virtual Tensor forward(const Tensor& x) = 0;
  Tensor operator()(const Tensor& x) const;  // calls forward, also of a handle that is const

  void train(bool on = true) const;  // dropout drops, batch_norm follows the batch
  void eval() const { train(false); }
  bool training() const;

  std::vector<Tensor> parameters() const;
  NamedTensors named_parameters() const;  // "0.weight", as PyTorch names them
  NamedTensors named_buffers() const;     // what is saved with them and not trained: running statistics
  void to(const Device& device) const;    // handles and optimizers follow
  // A table: each layer's output for an input of this shape, its parameters and their memory.
  std::string summary(const Shape& input) const;

  virtual std::string kind() const;  // "Linear"; for messages and summaries
  // For Sequential, which joins a layer with the activation after it: what this layer computes as an activation, and the
  // layer's result with one applied, where it can.
  virtual Activation activation() const { return Activation::none; }
  virtual std::optional<Tensor> forward_with(const Tensor& x, Activation activation);
  // Whether an activation before it or after it gives the same bits, so that it may come where it costs less.
  virtual bool commutes_with(Activation) const { return false; }
  bool mixes_batch() const;  // whether a sample's result in training depends on the others of its batch

 protected:
  void mix_batch();  // says so

  Parameter parameter(const std::string& name, const Tensor& value);
  Parameter buffer(const std::string& name, const Tensor& value);
  template <std::derived_from<Module> M>
  M module(const std::string& name, M part) {
    adopt(name, part);
    return part;
  }
  void adopt(const std::string& name, const Module& part);

 private:
  friend class CloneScope;
  friend struct ModuleAccess;
  Parameter add(const std::string& name, const Tensor& value, bool trained);
  std::shared_ptr<ModuleState> state_;
};

// While it lives, this thread's copies of modules get parameters of their own.
class TIDEPOOL_API CloneScope {
 public:
  CloneScope();
  ~CloneScope();
  CloneScope(const CloneScope&) = delete;
  CloneScope& operator=(const CloneScope&) = delete;

 private:
  friend class Module;
  friend class Parameter;
  friend class AnyModule;
  static bool active();
  static std::shared_ptr<ModuleState> follow(const std::shared_ptr<ModuleState>& state);
  struct Copies;
  std::unique_ptr<Copies> copies_;
};
template <std::derived_from<Module> M>
M clone(const M& module) {
  const CloneScope scope;
  return M(module);
}

// A module of any kind, as a value.
class TIDEPOOL_API AnyModule {
 public:
  template <std::derived_from<Module> M>
  explicit AnyModule(M module)
      : module_(std::make_shared<M>(std::move(module))),
        copy_([](const Module& other) -> std::shared_ptr<Module> { return std::make_shared<M>(static_cast<const M&>(other)); }) {}
  AnyModule(const AnyModule& other);
  AnyModule(AnyModule&&) noexcept = default;
  AnyModule& operator=(const AnyModule& other) = default;
  AnyModule& operator=(AnyModule&&) noexcept = default;
  ~AnyModule() = default;
  Module& operator*() const { return *module_; }
  Module* operator->() const { return module_.get(); }

 private:
  std::shared_ptr<Module> module_;
  std::shared_ptr<Module> (*copy_)(const Module&);
};

}  // namespace tidepool::inline v0::nn
