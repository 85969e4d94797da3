#include "core/checks.h"
#include "ops/update/update.h"
#include "optim/state.h"

namespace tidepool::inline v0::optim {

namespace {

using access::r, access::rw;
constexpr KernelDef rmsprop_kernel{.name = "rmsprop_rates", .access = accesses({rw, r, rw, rw, r}), .bindings = 5, .cpu = rmsprop_cpu};

const RMSpropOptions& checked(const RMSpropOptions& options) {
  require_rate("RMSprop", "alpha", options.alpha);
  require_not_negative("RMSprop", "eps", options.eps);
  require_not_negative("RMSprop", "weight_decay", options.weight_decay);
  require_not_negative("RMSprop", "momentum", options.momentum);
  return options;
}

}  // namespace

RMSprop::RMSprop(const std::vector<Tensor>& parameters, const RMSpropOptions& options)
    : Optimizer(parameters, checked(options).lr, "RMSprop", {"square", "velocity"}), options_(options) {}
std::string RMSprop::name() const { return "RMSprop"; }

void RMSprop::update(OptimizerState& state) {
  advance_rates(state);
  launch_update(state, rmsprop_kernel,
                RmspropParams{.shifts = {},
                              .count = 0,
                              .alpha = static_cast<float>(options_.alpha),
                              .rest = static_cast<float>(1 - options_.alpha),
                              .eps = static_cast<float>(options_.eps),
                              .momentum = static_cast<float>(options_.momentum),
                              .weight_decay = static_cast<float>(options_.weight_decay)});
}

}  // namespace tidepool::inline v0::optim
