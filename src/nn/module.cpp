#include <tidepool/module.h>

#include <tidepool/error.h>
#include <tidepool/memory.h>

#include "core/node.h"
#include "nn/state.h"
#include "platform/cat.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace tidepool::inline v0::nn {

// Copies that were made in this scope, by what they are copies of: parts and members must meet the same ones.
struct CloneScope::Copies {
  std::unordered_map<const ModuleState*, std::shared_ptr<ModuleState>> made;
  std::unordered_map<const Node*, Tensor> tensors;  // one that two modules have is one in their copies too
  Copies* before = nullptr;
  static thread_local Copies* current;

  std::shared_ptr<ModuleState> copy_of(const std::shared_ptr<ModuleState>& state) {
    if (const auto found = made.find(state.get()); found != made.end()) return found->second;
    auto copy = std::make_shared<ModuleState>(*state);
    made[state.get()] = copy;
    made[copy.get()] = copy;  // a copy of a copy is made while values move about; it stays what it is
    for (ModuleState::Entry& entry : copy->tensors) {
      Tensor& fresh = tensors[entry.tensor.node()];
      if (!fresh.defined()) fresh = copy_of(entry);
      entry.tensor = fresh;
    }
    for (auto& [name, part] : copy->parts) part = copy_of(part);
    return copy;
  }
  static Tensor copy_of(const ModuleState::Entry& entry) {
    Tensor fresh = keep(entry.tensor.detach().clone());
    if (entry.trained)
      fresh.requires_grad().requires_grad(entry.tensor.wants_grad());  // a frozen one counts as a parameter and stays frozen
    return fresh;
  }
};
thread_local CloneScope::Copies* CloneScope::Copies::current = nullptr;

CloneScope::CloneScope() : copies_(std::make_unique<Copies>()) { copies_->before = std::exchange(Copies::current, copies_.get()); }
CloneScope::~CloneScope() { Copies::current = copies_->before; }
bool CloneScope::active() { return Copies::current != nullptr; }
std::shared_ptr<ModuleState> CloneScope::follow(const std::shared_ptr<ModuleState>& state) {
  return Copies::current && state ? Copies::current->copy_of(state) : state;
}

Parameter::Parameter(const Parameter& other) : owner_(CloneScope::follow(other.owner_)), place_(other.place_) {}
const Tensor& Parameter::tensor() const {
  static const Tensor none;
  return owner_ ? owner_->tensors[place_].tensor : none;
}

AnyModule::AnyModule(const AnyModule& other) : module_(other.module_), copy_(other.copy_) {
  if (CloneScope::active()) module_ = copy_(*module_);
}

Module::Module() : state_(std::make_shared<ModuleState>()) {}
Module::Module(const Module& other) : state_(CloneScope::follow(other.state_)) {}
Module::~Module() = default;

std::string Module::kind() const { return "Module"; }
std::optional<Tensor> Module::forward_with(const Tensor&, Activation) { return std::nullopt; }

thread_local const ObserverScope* ObserverScope::current_ = nullptr;
ObserverScope::ObserverScope(Observer observer) : observer_(std::move(observer)), before_(std::exchange(current_, this)) {}
ObserverScope::~ObserverScope() { current_ = before_; }
bool ObserverScope::active() { return current_ != nullptr; }

Tensor Module::operator()(const Tensor& x) const {
  Tensor y = const_cast<Module&>(*this).forward(x);  // a handle is const as a pointer is: what it stands for is not
  if (ObserverScope::current_) [[unlikely]]
    ObserverScope::current_->observer_(*this, x, y);
  return y;
}

namespace {

// Depth first; a part that stands in two places counts where it is met first.
template <class Function>
void each_state(ModuleState& root, const Function& function) {
  std::unordered_set<const ModuleState*> seen;
  const auto visit = [&](const auto& self, const std::string& name, ModuleState& state) -> void {
    if (!seen.insert(&state).second) return;
    function(name, state);
    for (const auto& [part_name, part] : state.parts) self(self, cat(name, name.empty() ? "" : ".", part_name), *part);
  };
  visit(visit, "", root);
}

NamedTensors named_tensors(ModuleState& root, bool trained) {
  NamedTensors all;
  each_state(root, [&](const std::string& name, const ModuleState& state) {
    for (const ModuleState::Entry& entry : state.tensors)
      if (entry.trained == trained) all.emplace_back(name.empty() ? entry.name : name + '.' + entry.name, entry.tensor);
  });
  return all;
}

void rehome(Node& node, const Node& moved) {
  Stream& stream = *moved.storage->owner->stream;
  {
    const StreamLock lock(stream);
    stream.retag(*moved.storage.block(), node.storage->tag);
  }
  node.rehome(*moved.slot, moved.storage, moved.offset);
}

}  // namespace

std::vector<std::pair<std::string, const ModuleState*>> named_modules(const Module& module) {
  std::vector<std::pair<std::string, const ModuleState*>> all;
  each_state(ModuleAccess::state(module), [&](const std::string& name, const ModuleState& state) { all.emplace_back(name, &state); });
  return all;
}

TrainingScope::TrainingScope(const Module& module, bool training) : root_(ModuleAccess::shared(module)) {
  each_state(*root_, [&](const std::string&, ModuleState& state) { before_.emplace_back(&state, state.training); });
  module.train(training);
}
TrainingScope::~TrainingScope() {
  for (const auto& [state, training] : before_) state->training = training;
}

void Module::train(bool on) const {
  each_state(*state_, [on](const std::string&, ModuleState& state) { state.training = on; });
}
bool Module::training() const { return state_->training; }

NamedTensors Module::named_parameters() const { return named_tensors(*state_, true); }
NamedTensors Module::named_buffers() const { return named_tensors(*state_, false); }
std::vector<Tensor> Module::parameters() const {
  std::vector<Tensor> all;
  std::unordered_set<const Node*> seen;  // one that two modules share has two names
  for (auto& [name, tensor] : named_parameters())
    if (seen.insert(tensor.node()).second) all.push_back(tensor);
  return all;
}

// All copies are made before the first tensor changes its home: where memory runs out, the network stays whole.
void Module::to(const Device& device) const {
  std::unordered_map<Node*, Tensor> moved;
  const auto move = [&](const Tensor& tensor) {
    Node& node = usable("to", tensor);
    if (node.slot != &device.slot() && !moved.contains(&node)) moved.emplace(&node, tensor.detach().to(device));
  };
  each_state(*state_, [&](const std::string&, const ModuleState& state) {
    for (const ModuleState::Entry& entry : state.tensors) {
      move(entry.tensor);
      if (const std::shared_ptr<Node>& grad = entry.tensor.node()->grad) move(Tensor(grad));
    }
  });
  for (const auto& [node, copy] : moved) rehome(*node, *copy.node());
}

void Module::mix_batch() { state_->mixes_batch = true; }
bool Module::mixes_batch() const {
  bool any = false;
  each_state(*state_, [&any](const std::string&, const ModuleState& state) { any |= state.mixes_batch; });
  return any;
}

Parameter Module::add(const std::string& name, const Tensor& value, bool trained) {
  usable("parameter", value);
  if (name.empty() || name.find('.') != std::string::npos)
    throw ArgumentError("parameter", cat("'", name, "' is no name for a tensor; wanted one without a dot"));
  if (std::ranges::any_of(state_->tensors, [&](const ModuleState::Entry& entry) { return entry.name == name; }))
    throw ArgumentError("parameter", cat("there is a tensor '", name, "' already; give this one another name"));
  keep(value);
  if (trained) value.requires_grad();
  state_->tensors.push_back({name, value, trained});
  return {state_, state_->tensors.size() - 1};
}
Parameter Module::parameter(const std::string& name, const Tensor& value) { return add(name, value, true); }
Parameter Module::buffer(const std::string& name, const Tensor& value) { return add(name, value, false); }

void Module::adopt(const std::string& name, const Module& part) {
  if (std::ranges::any_of(state_->parts, [&](const auto& known) { return known.first == name; }))
    throw ArgumentError("module", cat("there is a part '", name, "' already; give this one another name"));
  state_->parts.emplace_back(name, part.state_);
}

}  // namespace tidepool::inline v0::nn
