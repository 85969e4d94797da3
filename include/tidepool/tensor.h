// A tensor: a cheap handle over numbers that live on a device. Copying a handle shares it.
//
//     tp::Tensor a = tp::tensor({1, 2, 3, 4}, {2, 2});
//     tp::Tensor b = tp::from_host(values, {100, 10});        // a std::vector<float>, say
//     std::vector<float> h = (a + a).to_host<float>();
//
// Work is recorded and done in order; `item`, `to_host` and `copy_to` wait for their value. Different threads may use
// the library at once; one handle is as safe as one std::shared_ptr.
#pragma once

#include <tidepool/device.h>
#include <tidepool/dtype.h>
#include <tidepool/shape.h>
#include <tidepool/version.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace tidepool::inline v0 {

struct Node;

class TIDEPOOL_API Tensor {
 public:
  Tensor() = default;  // empty: using it throws ReleasedError
  explicit Tensor(std::shared_ptr<Node> node) : node_(std::move(node)) {}

  const Shape& shape() const;
  DType dtype() const;
  Device device() const;
  std::int64_t numel() const;
  std::size_t nbytes() const;
  bool defined() const { return node_ != nullptr; }

  // T is the tensor's own type (float, int32_t, uint8_t; float for f16); another is a DTypeError.
  template <class T>
  std::vector<T> to_host() const;
  template <class T = float>
  T item() const;
  void copy_to(std::span<float> values) const;
  void copy_to(std::span<std::int32_t> values) const;
  void copy_to(std::span<std::uint8_t> values) const;
  void copy_from(std::span<const float> values) const;
  void copy_from(std::span<const std::int32_t> values) const;
  void copy_from(std::span<const std::uint8_t> values) const;

  Tensor to(const Device& device) const;
  Tensor to(DType type) const;  // to i32 and u8 towards zero
  Tensor clone() const;
  Tensor detach() const;  // the same numbers, without the way they came to be

  // Views: they share the numbers.
  Tensor reshape(const Shape& shape) const;  // one size may be -1
  Tensor flatten(std::int64_t from_axis = 0) const;
  Tensor slice(std::int64_t begin, std::int64_t end) const;  // rows [begin, end) of axis 0

  // Ends the tensor: using it throws ReleasedError. The bytes live while a view, a pending backward or a plan needs them.
  void release() const;
  bool released() const;

  const Tensor& requires_grad(bool on = true) const;
  bool wants_grad() const;
  void backward() const;
  void backward(const Tensor& seed) const;
  Tensor grad() const;  // empty before the first backward
  void zero_grad() const;

  Node* node() const { return node_.get(); }  // for the library itself
  const std::shared_ptr<Node>& shared() const { return node_; }

 private:
  std::shared_ptr<Node> node_;
};

struct TensorOptions {
  DType dtype = DType::f32;
  Device device = {};
};

TIDEPOOL_API Tensor tensor(std::initializer_list<float> values, const Shape& shape, const Device& device = {});
TIDEPOOL_API Tensor from_host(std::span<const float> values, const Shape& shape, const Device& device = {});
TIDEPOOL_API Tensor from_host(std::span<const std::int32_t> values, const Shape& shape, const Device& device = {});
TIDEPOOL_API Tensor from_host(std::span<const std::uint8_t> values, const Shape& shape, const Device& device = {});
TIDEPOOL_API Tensor zeros(const Shape& shape, const TensorOptions& options = {});
TIDEPOOL_API Tensor ones(const Shape& shape, const TensorOptions& options = {});
TIDEPOOL_API Tensor full(const Shape& shape, float value, const TensorOptions& options = {});
// Whatever the memory held before; filled with NaN when TIDEPOOL_POISON=1 or in a debug build.
TIDEPOOL_API Tensor empty(const Shape& shape, const TensorOptions& options = {});
TIDEPOOL_API Tensor zeros_like(const Tensor& like);
TIDEPOOL_API Tensor arange(std::int64_t count, const Device& device = {});  // 0, 1, 2, … as f32

// The same numbers for a seed on every device and with any number of threads. A plan draws new ones in every run.
TIDEPOOL_API Tensor rand(const Shape& shape, const TensorOptions& options = {});   // uniform in [0, 1)
TIDEPOOL_API Tensor randn(const Shape& shape, const TensorOptions& options = {});  // normal
TIDEPOOL_API void manual_seed(std::uint64_t seed);

// In place. They record no gradient, so a tensor that wants one is written under NoGrad only.
TIDEPOOL_API void copy_(const Tensor& destination, const Tensor& source);
TIDEPOOL_API void fill_(const Tensor& tensor, float value);
TIDEPOOL_API void zero_(const Tensor& tensor);

}  // namespace tidepool::inline v0
