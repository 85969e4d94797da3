// What a tensor is: its shape, its type, the storage under it and how it came to be. Handles share it.
#pragma once

#include <tidepool/device.h>
#include <tidepool/dtype.h>
#include <tidepool/error.h>
#include <tidepool/shape.h>
#include <tidepool/tensor.h>

#include "backend/faults.h"
#include "core/thread_state.h"
#include "device/slot.h"
#include "memory/block.h"
#include "platform/recycle.h"

#include <atomic>
#include <memory>
#include <utility>

namespace tidepool::inline v0 {

struct Node;
struct TapeEntry;

// A leaf's gradient; one that was released is none. The backward passes of several threads may come to a leaf at once: the first gradient
// that is given stays, and others see it whole or not at all. Whoever else changes it has the leaf for himself.
class LeafGradient {
 public:
  explicit operator bool() const { return get() != nullptr; }
  operator std::shared_ptr<Node>() const { return *this ? node_ : nullptr; }
  Node* get() const;
  Node* operator->() const { return get(); }
  Node& operator*() const { return *get(); }
  LeafGradient& operator=(std::shared_ptr<Node> node) {
    released_ = nullptr;
    node_ = std::move(node);
    given_.store(node_.get(), std::memory_order_release);
    return *this;
  }
  bool give_first(std::shared_ptr<Node> node);  // false: there is one

 private:
  std::shared_ptr<Node> node_;
  std::shared_ptr<Node> released_;  // before the first one was given anew: another thread may be looking at it still
  std::atomic<Node*> given_{nullptr};
};

struct Node {
  explicit Node(DeviceSlot& on) : slot(&on) { slot->tensors.add(1); }
  ~Node() {
    if (!released) slot->tensors.add(-1);
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Shape shape;
  DType dtype = DType::f32;
  std::int64_t numel = 1;
  DeviceSlot* slot;
  Storage storage;  // empty once released
  std::size_t offset = 0;
  std::shared_ptr<TapeEntry> made_by;  // null for a leaf
  LeafGradient grad;
  bool wants_grad = false;
  bool kept = false;  // no tidy scope releases it
  bool released = false;

  std::size_t bytes() const { return bytes_; }
  // What it holds; throws ShapeError naming the operation when there is no such number of elements.
  void become(const char* operation, const Shape& new_shape, DType new_dtype);
  void become_like(const Node& other) {
    shape = other.shape;
    dtype = other.dtype;
    numel = other.numel;
    bytes_ = other.bytes_;
  }
  void release();
  // Other memory under the same tensor, on another device perhaps; every handle follows, views of the old memory do not.
  void rehome(DeviceSlot& to, Storage memory, std::size_t at);

 private:
  std::size_t bytes_ = 0;
};

inline Node* LeafGradient::get() const {
  Node* const node = given_.load(std::memory_order_acquire);
  return node && !node->released ? node : nullptr;
}

[[noreturn]] void unusable(const char* operation, const Tensor& tensor);
// The node behind a tensor that can be used; throws ReleasedError naming the operation otherwise.
inline Node& usable(const char* operation, const Tensor& tensor) {
  Node* node = tensor.node();
  if (!node || node->released) [[unlikely]]
    unusable(operation, tensor);
  return *node;
}
// How many elements; throws ShapeError naming the operation when there is no such number, or no such number of bytes.
[[noreturn]] void rename_error(const char* operation, const ShapeError& error);
[[noreturn]] void beyond_memory(const char* operation, const Shape& shape);
inline std::int64_t checked_numel(const char* operation, const Shape& shape) {
  constexpr auto most = static_cast<std::int64_t>(SIZE_MAX / 16);  // their bytes can be rounded up and added to others
  try {
    const std::int64_t numel = shape.numel();
    if (numel <= most) [[likely]]
      return numel;
  } catch (const ShapeError& error) {
    rename_error(operation, error);
  }
  beyond_memory(operation, shape);
}
inline void Node::become(const char* operation, const Shape& new_shape, DType new_dtype) {
  numel = checked_numel(operation, new_shape);
  bytes_ = static_cast<std::size_t>(numel) * size_of(new_dtype);
  shape = new_shape;
  dtype = new_dtype;
}
// A tensor without shape and storage as yet.
inline Tensor make_tensor(DeviceSlot& slot) {
  host_memory_point("tensor");
  Tensor tensor(std::allocate_shared<Node>(Recycling<Node>(), slot));
  if (thread_state.scope) [[unlikely]]
    thread_state.scope->add(tensor.shared());
  return tensor;
}
// A tensor over a stretch of storage, known to this thread's tidy scope.
Tensor make_tensor(const char* operation, const Shape& shape, DType dtype, DeviceSlot& slot, Storage storage, std::size_t offset);
// A new tensor with anything in it.
Tensor allocate_tensor(const char* operation, const Shape& shape, DType dtype, DeviceSlot& slot, MemoryTag tag = MemoryTag::activations);

}  // namespace tidepool::inline v0
