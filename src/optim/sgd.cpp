#include <tidepool/error.h>

#include "core/checks.h"
#include "ops/update/update.h"
#include "optim/state.h"

namespace tidepool::inline v0::optim {

namespace {

using access::r, access::rw;
constexpr KernelDef sgd_kernel{.name = "sgd_rates", .access = accesses({rw, r, rw, r}), .bindings = 4, .cpu = sgd_rates_cpu};

const SGDOptions& checked(const SGDOptions& options) {
  require_not_negative("SGD", "momentum", options.momentum);
  require_not_negative("SGD", "weight_decay", options.weight_decay);
  if (options.nesterov && options.momentum == 0) throw ArgumentError("SGD", "nesterov is set, and momentum is 0; wanted more");
  return options;
}

}  // namespace

SGD::SGD(const std::vector<Tensor>& parameters, const SGDOptions& options)
    : Optimizer(parameters, checked(options).lr, "SGD", {"velocity"}), options_(options) {}
std::string SGD::name() const { return "SGD"; }

void SGD::update(OptimizerState& state) {
  advance_rates(state);
  launch_update(state, sgd_kernel,
                SgdParams{.shifts = {},
                          .count = 0,
                          .lr = 0,
                          .momentum = static_cast<float>(options_.momentum),
                          .weight_decay = static_cast<float>(options_.weight_decay),
                          .nesterov = options_.nesterov ? 1U : 0U});
}

}  // namespace tidepool::inline v0::optim
