#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/memory.h>
#include <tidepool/ops.h>

#include "core/checks.h"
#include "device/capture.h"
#include "ops/update/update.h"
#include "optim/state.h"
#include "platform/cat.h"

#include <algorithm>
#include <bit>

namespace tidepool::inline v0::optim {

namespace {

constexpr std::int64_t alignment = 16;  // elements: a cache line, so that products read parameters as if each had its own block

constexpr KernelDef advance_kernel{.name = "advance_rates", .access = accesses({Access::read_write}), .bindings = 1, .cpu = advance_cpu};

Tensor flat(std::int64_t count, const Device& device, MemoryTag tag, DType dtype = DType::f32) {
  Tensor made = keep(zeros({count}, {.dtype = dtype, .device = device}));
  Stream& stream = *made.node()->storage->owner->stream;
  const StreamLock lock(stream);
  stream.retag(*made.node()->storage.block(), tag);
  return made;
}

// The node lies at this element of the flat tensor.
bool lies_in(const Node* node, const Tensor& flat, std::int64_t first) {
  const Node& home = *flat.node();
  return node && !node->released && node->storage.block() == home.storage.block() &&
         node->offset == home.offset + static_cast<std::size_t>(first) * sizeof(float);
}

// The numbers move to the flat tensor, and the node with them.
void move_into(Node& node, const std::shared_ptr<Node>& shared, const Tensor& flat, std::int64_t first) {
  const Tensor stretch = flat.slice(first, first + node.numel);
  copy_(stretch, Tensor(shared).to(flat.device()).detach().reshape({node.numel}));
  node.rehome(*flat.node()->slot, stretch.node()->storage, stretch.node()->offset);
}

}  // namespace

OptimizerState::OptimizerState(const char* name, const std::vector<Tensor>& all, double rate, const std::vector<std::string>& names)
    : name(name), moment_names(names), lr(rate) {
  require_not_negative(name, "lr", lr);
  for (const Tensor& parameter : all) {
    const Node& node = usable(name, parameter);
    if (std::ranges::any_of(parameters, [&](const Tensor& known) { return known.node() == &node; })) continue;  // a shared layer
    if (!node.wants_grad || node.made_by)
      throw ArgumentError(name, cat("a tensor of shape ", node.shape,
                                    " is no parameter; mark it with requires_grad(), or leave it out where it is frozen"));
    parameters.push_back(parameter);
    first.push_back(count);
    count += (node.numel + alignment - 1) / alignment * alignment;
  }
  if (parameters.empty()) throw ArgumentError(name, "got no parameters; give it net.parameters()");
  gather();
}

bool OptimizerState::gathered() const { return generation > 0 && placed() && rates.node()->slot == weights.node()->slot; }

bool OptimizerState::placed() const {
  if (!weights.defined()) return false;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Node* node = parameters[i].node();
    if (!lies_in(node, weights, first[i]) || !lies_in(node->grad.get(), gradients, first[i])) return false;
  }
  return true;
}

void OptimizerState::place(std::size_t i) const {
  Node& node = usable(name, parameters[i]);
  if (&Device(*node.slot).slot() != weights.node()->slot)
    throw DeviceError(
        name, cat("parameters are on different devices: ", weights.device(), " and ", node.slot->id(), "; move all with net.to(device)"));
  move_into(node, parameters[i].shared(), weights, first[i]);
  if (!node.grad) return begin_gradient(i);
  move_into(*node.grad, node.grad, gradients, first[i]);
  node.grad->kept = true;
}

void OptimizerState::begin_gradient(std::size_t i) const {
  Node& node = *parameters[i].node();
  const Tensor stretch = keep(gradients.slice(first[i], first[i] + node.numel).reshape(node.shape));
  node.grad = stretch.shared();
}

// Before the moments, which then have the memory that parameters and gradients leave. Where it runs out there, they are not placed again.
void OptimizerState::gather() {
  if (gathered()) return;
  Capture::refuse(name);
  const NoGrad guard;
  const Device device(*usable(name, parameters[0]).slot);
  if (!placed()) {
    const Tensor old_weights = std::exchange(weights, flat(count, device, MemoryTag::parameters));
    const Tensor old_gradients = std::exchange(gradients, flat(count, device, MemoryTag::gradients));
    for (std::size_t i = 0; i < parameters.size(); ++i) place(i);
  }
  if (generation == 0 || !(rates.device() == device)) gather_moments(device);
  ++generation;
  write_lr(lr);
}

// All or none: they are never on two devices.
void OptimizerState::gather_moments(const Device& device) {
  std::vector<Tensor> there;
  for (std::size_t i = 0; i < moment_names.size(); ++i)
    there.push_back(generation == 0 ? flat(count, device, MemoryTag::optimizer) : keep(moments[i].to(device)));
  rates = generation == 0 ? flat(4, device, MemoryTag::optimizer, DType::i32) : keep(rates.to(device));
  moments = std::move(there);
}

void OptimizerState::remake(const Device& device) {
  weights = flat(count, device, MemoryTag::parameters);
  gradients = flat(count, device, MemoryTag::gradients);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Node& node = *parameters[i].node();
    const auto at = static_cast<std::size_t>(first[i]) * sizeof(float);
    node.rehome(device.slot(), weights.node()->storage, at);
    if (node.grad)
      node.grad->rehome(device.slot(), gradients.node()->storage, at);
    else
      begin_gradient(i);
  }
  for (Tensor& moment : moments) moment = flat(count, device, MemoryTag::optimizer);
  rates = flat(4, device, MemoryTag::optimizer, DType::i32);
  ++generation;
}

void OptimizerState::write_lr(double rate) const {
  const std::int32_t bits = std::bit_cast<std::int32_t>(static_cast<float>(rate));
  rates.slice(0, 1).copy_from(std::span<const std::int32_t>(&bits, 1));
}

Optimizer::Optimizer(const std::vector<Tensor>& parameters, double lr, const char* name, const std::vector<std::string>& moments)
    : state_(std::make_unique<OptimizerState>(name, parameters, lr, moments)) {}
Optimizer::~Optimizer() = default;

void Optimizer::zero_grad() {
  state_->gather();
  if (!Capture::current()) return zero_(state_->gradients);
  // Each for itself: a plan leaves out those that its backward pass writes.
  for (const Tensor& parameter : state_->parameters) zero_(Tensor(parameter.node()->grad));
}

void Optimizer::step() {
  state_->gather();
  const NoGrad guard;
  update(*state_);
}

void Optimizer::set_lr(double lr) {
  require_not_negative(state_->name, "lr", lr);
  if (lr == state_->lr) return;
  state_->write_lr(lr);  // which may throw, within a capture
  state_->lr = lr;
}
double Optimizer::lr() const { return state_->lr; }
std::int64_t Optimizer::steps() const { return static_cast<std::uint32_t>(state_->rates.slice(3, 4).item<std::int32_t>()); }
const std::vector<Tensor>& Optimizer::parameters() const { return state_->parameters; }

std::vector<std::pair<std::string, Tensor>> Optimizer::state() const {
  std::vector<std::pair<std::string, Tensor>> all;
  for (std::size_t i = 0; i < state_->moments.size(); ++i) all.emplace_back(state_->moment_names[i], state_->moments[i]);
  all.emplace_back("rates", state_->rates);
  return all;
}

void advance_rates(OptimizerState& state, double beta1, double beta2) {
  const AdvanceParams params{.shifts = {},
                             .beta1 = static_cast<float>(beta1),
                             .beta2 = static_cast<float>(beta2),
                             .rest1 = static_cast<float>(1 - beta1),
                             .rest2 = static_cast<float>(1 - beta2)};
  apply_in_place(
      state.name, {&state.rates}, 1, nullptr,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        stream.launch(advance_kernel, {update(*nodes[0])}, attrs.as<AdvanceParams>(), Extent{1, 1, 1});
      },
      Attrs(params));
}

}  // namespace tidepool::inline v0::optim
