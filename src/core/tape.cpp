#include "core/tape.h"

#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/ops.h>

#include "core/accumulate.h"
#include "core/thread_state.h"
#include "device/slot.h"
#include "platform/cat.h"

#include <algorithm>
#include <atomic>
#include <queue>
#include <unordered_set>

namespace tidepool::inline v0 {

namespace {
constinit std::atomic<std::uint64_t> next_sequence{1};
}  // namespace

NoGrad::NoGrad() : before_(std::exchange(thread_state.no_grad, true)) {}
NoGrad::~NoGrad() { thread_state.no_grad = before_; }

void SavedValue::save(const Node& node) {
  storage = node.storage;
  offset = node.offset;
  version = storage->version.load(std::memory_order_relaxed);
}

Tensor SavedValue::tensor() const { return make_tensor("backward", shape, dtype, *slot, storage, offset); }

// A long chain is taken apart link by link; recursion would exhaust the stack.
TapeEntry::~TapeEntry() {
  std::vector<std::shared_ptr<TapeEntry>> rest;
  const auto detach = [&rest](TapeEntry& entry) {
    for (Input& input : entry.inputs)
      if (input.from) rest.push_back(std::move(input.from));
  };
  detach(*this);
  while (!rest.empty()) {
    const std::shared_ptr<TapeEntry> entry = std::move(rest.back());
    rest.pop_back();
    if (entry.use_count() == 1) detach(*entry);
  }
}

void remember(const OpDef& op, std::span<const Tensor* const> in, const Attrs& attrs, Node& out) {
  auto entry = std::make_shared<TapeEntry>();
  entry->op = &op;
  entry->attrs = attrs;
  entry->sequence = next_sequence.fetch_add(1, std::memory_order_relaxed);
  const auto describe = [](SavedValue& value, const Node& node) {
    value.shape = node.shape;
    value.dtype = node.dtype;
    value.slot = node.slot;
  };
  entry->inputs.resize(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    Node& node = *in[i]->node();
    TapeEntry::Input& input = entry->inputs[i];
    describe(input.value, node);
    if (node.made_by)
      input.from = node.made_by;
    else if (node.wants_grad)
      input.leaf = in[i]->shared();
    if (saves_inputs(op.saves)) input.value.save(node);
  }
  describe(entry->output, out);
  if (saves_output(op.saves)) entry->output.save(out);
  out.made_by = std::move(entry);
  out.wants_grad = true;
}

void require_writable(const char* operation, const Node& node) {
  if (thread_state.no_grad || !node.wants_grad) return;
  throw Error(operation, "the tensor wants a gradient, and a write in place records none; write under NoGrad, or to detach()");
}

Tensor Grad::in(std::size_t i) const { return entry_.inputs[i].value.tensor(); }
Tensor Grad::out() const { return entry_.output.tensor(); }
const Shape& Grad::shape(std::size_t i) const { return entry_.inputs[i].value.shape; }
std::size_t Grad::inputs() const { return entry_.inputs.size(); }
bool Grad::needs(std::size_t i) const { return entry_.inputs[i].needed(); }
const OpDef& Grad::op() const { return *entry_.op; }
const Attrs& Grad::all_attrs() const { return entry_.attrs; }

namespace {

// Everything that could stop a backward is looked for before it changes anything.
void check_graph(TapeEntry* root) {
  std::vector<TapeEntry*> open{root};
  std::unordered_set<TapeEntry*> seen{root};
  while (!open.empty()) {
    TapeEntry* entry = open.back();
    open.pop_back();
    if (entry->used)
      throw Error("backward",
                  cat("this graph was used by an earlier backward, which freed it (at ", entry->op->name, "); compute the result again"));
    const auto require_unchanged = [entry](const SavedValue& value) {
      if (value.changed())
        throw Error("backward", cat("a value that ", entry->op->name, " needs was written in place after it was used: ", value.shape,
                                    "; write to a clone() instead, or after backward"));
    };
    require_unchanged(entry->output);
    for (TapeEntry::Input& input : entry->inputs) {
      require_unchanged(input.value);
      if (input.from && seen.insert(input.from.get()).second) open.push_back(input.from.get());
    }
  }
}

struct Earlier {
  bool operator()(const std::shared_ptr<TapeEntry>& a, const std::shared_ptr<TapeEntry>& b) const { return a->sequence < b->sequence; }
};
using Queue = std::priority_queue<std::shared_ptr<TapeEntry>, std::vector<std::shared_ptr<TapeEntry>>, Earlier>;

// f16 holds numbers; they are added as f32.
Tensor sum_of(const Tensor& a, const Tensor& b) {
  return a.dtype() == DType::f16 ? add(a.to(DType::f32), b.to(DType::f32)).to(DType::f16) : add(a, b);
}

void pass_gradient(Tensor gradient, const TapeEntry& from, TapeEntry::Input& input, Queue& queue) {
  if (!input.needed()) return;
  if (!gradient.defined()) throw Error("backward", cat(from.op->name, " gave no gradient for an input that needs one"));
  if (!(gradient.shape() == input.value.shape))
    throw Error("backward", cat(from.op->name, " gave a gradient of ", gradient.shape(), " for an input of ", input.value.shape));
  if (input.leaf) {
    if (input.leaf->released) return;
    if (gradient.node()->slot != input.leaf->slot) gradient = gradient.to(Device(*input.leaf->slot));  // the leaf has moved since
    accumulate(input.leaf, std::move(gradient));
    return;
  }
  const bool first = !input.from->gradient.defined();
  input.from->gradient = first ? std::move(gradient) : sum_of(input.from->gradient, gradient);
  if (first) queue.push(input.from);
}

void run_backward(const std::shared_ptr<TapeEntry>& root, Tensor seed) {
  check_graph(root.get());
  const NoGrad guard;
  Queue queue;
  root->gradient = std::move(seed);
  queue.push(root);
  try {
    while (!queue.empty()) {
      const std::shared_ptr<TapeEntry> entry = queue.top();
      queue.pop();
      Tensors gradients = entry->op->gradient(Grad(*entry, std::exchange(entry->gradient, {})));
      gradients.resize(entry->inputs.size());
      entry->used = true;
      entry->output.storage = {};
      for (std::size_t i = 0; i < gradients.size(); ++i) {
        entry->inputs[i].value.storage = {};
        pass_gradient(std::move(gradients[i]), *entry, entry->inputs[i], queue);
      }
    }
  } catch (...) {
    for (; !queue.empty(); queue.pop()) queue.top()->gradient = {};
    throw;
  }
}

}  // namespace

void Tensor::backward() const {
  const Node& node = usable("backward", *this);
  if (node.numel != 1) throw ShapeError("backward", cat("the tensor has shape ", node.shape, "; without a seed it must have one element"));
  backward(full(node.shape, 1.0F, {.dtype = node.dtype, .device = device()}));
}

void Tensor::backward(const Tensor& seed) const {
  Node& node = usable("backward", *this);
  const Node& start = usable("backward", seed);
  if (!(start.shape == node.shape)) throw ShapeError("backward", cat("the seed has shape ", start.shape, "; wanted ", node.shape));
  if (start.dtype != node.dtype) throw DTypeError("backward", cat("the seed is ", start.dtype, "; wanted ", node.dtype));
  if (start.slot != node.slot)
    throw DeviceError("backward",
                      cat("the seed is on ", start.slot->id(), " and the tensor on ", node.slot->id(), "; move one with to(device)"));
  if (node.made_by) {
    run_backward(node.made_by, seed);
  } else if (node.wants_grad) {
    const NoGrad guard;
    accumulate(shared(), seed);
  } else {
    throw Error("backward", "nothing that led to this tensor wants a gradient; call requires_grad() on a parameter before using it");
  }
}

}  // namespace tidepool::inline v0
