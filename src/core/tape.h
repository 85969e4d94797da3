// The tape: how a tensor came to be, for those that want a gradient.
#pragma once

#include "core/op.h"
#include "core/thread_state.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tidepool::inline v0 {

// A value as it was when the operation ran. It outlives the tensor, so that `release` and `tidy` do not take away what
// a backward still needs; a write in place since then is noticed by the version.
struct SavedValue {
  Shape shape;
  DType dtype = DType::f32;
  DeviceSlot* slot = nullptr;
  Storage storage;
  std::size_t offset = 0;
  std::uint32_t version = 0;

  void save(const Node& node);
  bool changed() const { return storage && storage->version.load(std::memory_order_relaxed) != version; }
  Tensor tensor() const;
};

struct TapeEntry {
  struct Input {
    std::shared_ptr<TapeEntry> from;  // the operation that made it, or
    std::shared_ptr<Node> leaf;       // the leaf that wants its gradient
    SavedValue value;
    bool needed() const { return from || leaf; }
  };
  ~TapeEntry();

  const OpDef* op = nullptr;
  Attrs attrs;
  std::vector<Input> inputs;
  SavedValue output;
  std::uint64_t sequence = 0;  // later operations have larger ones
  bool used = false;           // by a backward, which freed it
  Tensor gradient;             // gathered during a backward
};

// Whether an operation on these inputs is to be remembered.
inline bool wants_gradient(std::span<Node* const> in) {
  bool any = false;
  for (const Node* node : in) any |= node->wants_grad;
  return any && !thread_state.no_grad;
}
void remember(const OpDef& op, std::span<const Tensor* const> in, const Attrs& attrs, Node& out);
// Throws unless the node may be written in place now.
void require_writable(const char* operation, const Node& node);

}  // namespace tidepool::inline v0
