#include <tidepool/tensor.h>

#include <tidepool/error.h>

#include "core/node.h"
#include "core/tape.h"
#include "core/thread_state.h"
#include "device/capture.h"
#include "device/slot.h"
#include "platform/cat.h"
#include "platform/recycle.h"

#include <mutex>
#include <utility>

namespace tidepool::inline v0 {

bool LeafGradient::give_first(std::shared_ptr<Node> node) {
  static constinit std::mutex mutex;  // of all leaves: it happens once for each
  const std::scoped_lock lock(mutex);
  if (*this) return false;
  released_ = std::exchange(node_, std::move(node));
  given_.store(node_.get(), std::memory_order_release);
  return true;
}

void Node::release() {
  if (released) return;
  released = true;
  slot->tensors.add(-1);
  storage = {};
  made_by = nullptr;
  grad = nullptr;
}

void Node::rehome(DeviceSlot& to, Storage memory, std::size_t at) {
  if (&to != slot && !released) {
    slot->tensors.add(-1);
    to.tensors.add(1);
  }
  slot = &to;
  storage = std::move(memory);
  offset = at;
}

void unusable(const char* operation, const Tensor& tensor) {
  if (!tensor.defined()) throw ReleasedError(operation, "the tensor is empty; give it a value first");
  throw ReleasedError(operation, cat("the tensor of shape ", tensor.node()->shape,
                                     " was released (by release() or the end of a tidy scope); keep() it if it is still needed"));
}

void rename_error(const char* operation, const ShapeError& error) {
  throw ShapeError(operation, std::string_view(error.what()).substr(std::string_view("shape: ").size()));
}

void beyond_memory(const char* operation, const Shape& shape) {
  throw ShapeError(operation, cat(shape, " has more elements than any memory"));
}

Tensor make_tensor(const char* operation, const Shape& shape, DType dtype, DeviceSlot& slot, Storage storage, std::size_t offset) {
  Tensor tensor = make_tensor(slot);
  tensor.node()->become(operation, shape, dtype);
  tensor.node()->storage = std::move(storage);
  tensor.node()->offset = offset;
  return tensor;
}

const Shape& Tensor::shape() const { return usable("shape", *this).shape; }
DType Tensor::dtype() const { return usable("dtype", *this).dtype; }
Device Tensor::device() const { return Device(*usable("device", *this).slot); }
std::int64_t Tensor::numel() const { return usable("numel", *this).numel; }
std::size_t Tensor::nbytes() const { return usable("nbytes", *this).bytes(); }

void Tensor::release() const {
  usable("release", *this);
  node_->release();
}
bool Tensor::released() const { return node_ && node_->released; }

Tensor Tensor::detach() const {
  const Node& node = usable("detach", *this);
  return make_tensor("detach", node.shape, node.dtype, *node.slot, node.storage, node.offset);
}

const Tensor& Tensor::requires_grad(bool on) const {
  Node& node = usable("requires_grad", *this);
  if (node.dtype != DType::f32) throw DTypeError("requires_grad", cat("got a tensor of type ", node.dtype, "; only f32 has gradients"));
  if (node.made_by)
    throw Error("requires_grad", "the tensor is the result of an operation; mark the parameter that it came from, or a detach() of it");
  node.wants_grad = on;
  if (on) {
    Stream& stream = *node.storage->owner->stream;
    const StreamLock lock(stream);
    stream.retag(*node.storage.block(), MemoryTag::parameters);
  }
  return *this;
}

bool Tensor::wants_grad() const { return usable("wants_grad", *this).wants_grad; }

Tensor Tensor::grad() const { return Tensor(usable("grad", *this).grad); }

void Tensor::zero_grad() const {
  if (usable("zero_grad", *this).grad) zero_(grad());
}

}  // namespace tidepool::inline v0
