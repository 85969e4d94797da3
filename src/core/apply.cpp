// The one path that every operation takes.
#include <tidepool/error.h>

#include "core/op.h"
#include "core/tape.h"
#include "device/slot.h"
#include "monitor/event.h"
#include "platform/cat.h"

namespace tidepool::inline v0 {

namespace {

constexpr std::size_t most_inputs = 64;

Stream& stream_of(const Node& node) { return *node.storage->owner->stream; }

[[noreturn, gnu::cold, gnu::noinline]] void apart(const char* operation, Stream& one, Stream& other) {
  if (&one.slot() == &other.slot()) {  // one of the two is from before a reset
    const StreamLock lock(other);
    other.require_alive(operation);
    one.require_alive(operation);
  }
  throw DeviceError(operation,
                    cat("tensors are on different devices: ", one.slot().id(), " and ", other.slot().id(), "; move one with to(device)"));
}

// All inputs are usable and live on one device; returns its stream.
inline Stream& gather(const char* operation, std::span<const Tensor* const> in, Node** nodes) {
  nodes[0] = &usable(operation, *in[0]);
  Stream& stream = stream_of(*nodes[0]);
  for (std::size_t i = 1; i < in.size(); ++i) {
    nodes[i] = &usable(operation, *in[i]);
    Stream& own = stream_of(*nodes[i]);
    if (&stream != &own) [[unlikely]]
      apart(operation, stream, own);
  }
  return stream;
}

[[noreturn, gnu::cold, gnu::noinline]] void uncountable(const char* operation, const Shape& shape, std::int64_t numel) {
  throw ShapeError(operation, cat(shape, " has ", numel, " elements; a tensor holds at most ", most_elements));
}

inline void require_countable(const char* operation, const Shape& shape, std::int64_t numel) {
  if (numel > most_elements) [[unlikely]]
    uncountable(operation, shape, numel);
}

}  // namespace

Tensor allocate_tensor(const char* operation, const Shape& shape, DType dtype, DeviceSlot& slot, MemoryTag tag) {
  const std::int64_t numel = checked_numel(operation, shape);
  const std::size_t bytes = static_cast<std::size_t>(numel) * size_of(dtype);
  Storage storage = with_stream(slot, [&](Stream& stream) { return stream.take(bytes, tag, operation); });
  require_countable(operation, shape, numel);
  return make_tensor(operation, shape, dtype, slot, std::move(storage), 0);
}

Tensor apply(const OpDef& op, std::span<const Tensor* const> in, const Attrs& attrs) {
  const Timing time = timing();
  std::array<Node*, most_inputs> nodes;  // NOLINT: only the first in.size() are used
  Stream& stream = gather(op.name, in, nodes.data());
  const OpCall call{op, std::span(nodes.data(), in.size()), attrs};
  Tensor out = make_tensor(stream.slot());
  Node& node = *out.node();
  op.rule(call, node);
  {
    const StreamLock lock(stream);
    node.storage.start(stream.take_block(node.bytes(), MemoryTag::activations, op.name));
    require_countable(op.name, node.shape, node.numel);
    stream.begin_operation(op.name, time);
    if (node.numel > 0) op.run(call, stream, node);
    stream.end_operation();
  }
  if (op.gradient && wants_gradient(call.in)) remember(op, in, attrs, node);
  return out;
}

Tensor apply_view(const OpDef& op, const Tensor& a, const Shape& shape, std::size_t offset, const Attrs& attrs) {
  Node* node = &usable(op.name, a);
  Tensor out = make_tensor(op.name, shape, node->dtype, *node->slot, node->storage, node->offset + offset);
  const Tensor* in = &a;
  if (wants_gradient({&node, 1})) remember(op, {&in, 1}, attrs, *out.node());
  return out;
}

void apply_in_place(const char* operation, std::span<const Tensor* const> tensors, std::size_t written, InPlaceCheck check, InPlaceRun run,
                    const Attrs& attrs) {
  const Timing time = timing();
  std::array<Node*, most_inputs> nodes;  // NOLINT: only the first are used
  Stream& stream = gather(operation, tensors, nodes.data());
  const std::span all(nodes.data(), tensors.size());
  if (check) check(all);
  for (std::size_t i = 0; i < written; ++i) require_writable(operation, *all[i]);
  const StreamLock lock(stream);
  stream.require_alive(operation);
  bool anything = false;
  for (std::size_t i = 0; i < written; ++i) {
    require_countable(operation, all[i]->shape, all[i]->numel);
    anything |= all[i]->numel > 0;
  }
  stream.begin_operation(operation, time);
  if (anything) run(all, stream, attrs);
  stream.end_operation();
  for (std::size_t i = 0; i < written; ++i) all[i]->storage->version.fetch_add(1, std::memory_order_relaxed);
}

void wrong_dtype(const OpCall& call, DType wanted) {
  for (const Node* node : call.in)
    if (node->dtype != wanted)
      throw DTypeError(call.op.name,
                       cat("got a tensor of type ", node->dtype, "; wanted ", wanted, ": convert it with to(DType::", wanted, ")"));
  __builtin_unreachable();
}

std::int64_t normal_axis(const char* operation, std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank) throw ShapeError(operation, cat("axis ", axis, " is out of range for rank ", rank));
  return axis < 0 ? axis + rank : axis;
}

}  // namespace tidepool::inline v0
