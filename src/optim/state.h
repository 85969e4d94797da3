// What every optimizer keeps: its parameters in one flat block, their gradients in another, and its moments.
#pragma once

#include <tidepool/optim.h>

#include "core/op.h"

#include <cmath>

namespace tidepool::inline v0::optim {

struct OptimizerState {
  OptimizerState(const char* name, const std::vector<Tensor>& parameters, double lr, const std::vector<std::string>& moments);

  // Parameters and gradients lie in the flat blocks. After net.to(device), or when another optimizer took the
  // parameters, they are brought back; plans that were captured before see the old memory.
  void gather();
  bool gathered() const;
  void remake(const Device& device);  // after a loss: new blocks of zeros under the same tensors
  void write_lr(double rate) const;

  const char* name;
  std::vector<Tensor> parameters;
  std::vector<std::int64_t> first;  // element of each in the flat blocks
  std::int64_t count = 0;           // elements of a flat block
  Tensor weights, gradients;
  std::vector<std::string> moment_names;
  std::vector<Tensor> moments;
  Tensor rates;  // i32 [4], the bits of a Rates
  double lr;
  std::uint64_t generation = 0;  // how often it was gathered

 private:
  bool placed() const;  // parameters and gradients are
  void place(std::size_t parameter) const;
  void begin_gradient(std::size_t parameter) const;  // where it has none, with what lies in its place
  void gather_moments(const Device& device);
};

struct OptimizerAccess {
  static OptimizerState& state(Optimizer& optimizer) { return *optimizer.state_; }
};

// Launches a kernel on the weights (changed), gradients, moments (changed) and rates.
template <class P>
void launch_update(OptimizerState& state, const KernelDef& kernel, P params) {
  static_assert(sizeof(P) + sizeof(const KernelDef*) <= 80);
  struct Update {
    const KernelDef* kernel;
    P params;
  };
  params.count = to_count(state.count);
  std::array<const Tensor*, 5> tensors{&state.weights};
  std::size_t n = 1;
  for (const Tensor& moment : state.moments) tensors[n++] = &moment;
  const std::size_t written = n;
  tensors[n++] = &state.gradients;
  tensors[n++] = &state.rates;
  apply_in_place(
      state.name, std::span<const Tensor* const>(tensors.data(), n), written, nullptr,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        const auto [used, p] = attrs.as<Update>();
        const Node &w = *nodes[0], &g = *nodes[nodes.size() - 2], &rates = *nodes[nodes.size() - 1];
        if (nodes.size() == 4)
          stream.launch(*used, {update(w), read(g), update(*nodes[1]), read(rates)}, p, per_element(w));
        else
          stream.launch(*used, {update(w), read(g), update(*nodes[1]), update(*nodes[2]), read(rates)}, p, per_element(w));
      },
      Attrs(Update{&kernel, params}));
}

// Counts a step, on the device.
void advance_rates(OptimizerState& state, double beta1 = 0, double beta2 = 0);

}  // namespace tidepool::inline v0::optim
