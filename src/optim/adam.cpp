// Adam, and AdamW, which differs in where the weight decay goes.
#include "core/checks.h"
#include "ops/update/update.h"
#include "optim/state.h"

namespace tidepool::inline v0::optim {

namespace {

using access::r, access::rw;
constexpr KernelDef adam_kernel{
    .name = "adam_rates", .access = accesses({rw, r, rw, rw, r}), .bindings = 5, .cpu = adam_rates_cpu, .covers = adam_covers};

template <class Options>
const Options& checked(const char* name, const Options& options) {
  require_rate(name, "beta1", options.beta1);
  require_rate(name, "beta2", options.beta2);
  require_not_negative(name, "eps", options.eps);
  require_not_negative(name, "weight_decay", options.weight_decay);
  return options;
}

template <class Options>
void update_adam(OptimizerState& state, const Options& options, bool decoupled) {
  advance_rates(state, options.beta1, options.beta2);
  AdamParams params = adam_params(options.beta1, options.beta2, options.eps, options.weight_decay);
  params.decoupled = decoupled ? 1 : 0;
  launch_update(state, adam_kernel, params);
}

}  // namespace

Adam::Adam(const std::vector<Tensor>& parameters, const AdamOptions& options)
    : Optimizer(parameters, checked("Adam", options).lr, "Adam", {"mean", "square"}), options_(options) {}
std::string Adam::name() const { return "Adam"; }
void Adam::update(OptimizerState& state) { update_adam(state, options_, false); }

AdamW::AdamW(const std::vector<Tensor>& parameters, const AdamWOptions& options)
    : Optimizer(parameters, checked("AdamW", options).lr, "AdamW", {"mean", "square"}), options_(options) {}
std::string AdamW::name() const { return "AdamW"; }
void AdamW::update(OptimizerState& state) { update_adam(state, options_, true); }

}  // namespace tidepool::inline v0::optim
