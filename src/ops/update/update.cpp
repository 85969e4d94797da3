#include "ops/update/update.h"

#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/raw.h>

#include "core/checks.h"
#include "core/tape.h"
#include "platform/cat.h"

#include <cmath>

namespace tidepool::inline v0 {

namespace {

using access::r, access::rw;
constexpr KernelDef adam_kernel{.name = "adam", .access = accesses({rw, r, rw, rw}), .bindings = 4, .cpu = adam_cpu, .covers = adam_covers};

constexpr KernelDef sgd_kernel{.name = "sgd", .access = accesses({rw, r}), .bindings = 2, .cpu = sgd_cpu};
constexpr KernelDef sgd_momentum_kernel{.name = "sgd_momentum", .access = accesses({rw, r, rw}), .bindings = 3, .cpu = sgd_momentum_cpu};

// All of one shape, and none in another's memory: each is changed while the others are read.
void check_same(const char* operation, std::span<Node* const> nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    require_type(operation, "a tensor", *nodes[i], DType::f32);
    if (!(nodes[i]->shape == nodes[0]->shape))
      throw ShapeError(operation, cat("shapes differ: ", nodes[0]->shape, " and ", nodes[i]->shape));
    for (std::size_t before = 0; before < i; ++before) require_apart(operation, "an output", *nodes[before], {nodes[i]});
  }
}

}  // namespace

namespace raw {

void adam_step(const Tensor& w, const Tensor& g, const Tensor& m, const Tensor& v, const AdamOptions& options) {
  require_rate("adam_step", "beta1", options.beta1);
  require_rate("adam_step", "beta2", options.beta2);
  require_not_negative("adam_step", "lr", options.lr);
  require_not_negative("adam_step", "eps", options.eps);
  require_not_negative("adam_step", "weight_decay", options.weight_decay);
  require_at_least("adam_step", "step", options.step, 1);
  const auto step = static_cast<double>(options.step);
  AdamParams params = adam_params(options.beta1, options.beta2, options.eps, options.weight_decay);
  params.step_size = static_cast<float>(options.lr / (1 - std::pow(options.beta1, step)));
  params.correction2 = static_cast<float>(1 / std::sqrt(1 - std::pow(options.beta2, step)));
  const NoGrad guard;  // an update is no part of a graph
  apply_in_place(
      "adam_step", {&w, &m, &v, &g}, 3, [](std::span<Node* const> nodes) { check_same("adam_step", nodes); },
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        auto p = attrs.as<AdamParams>();
        p.count = static_cast<std::uint32_t>(nodes[0]->numel);
        stream.launch(adam_kernel, {update(*nodes[0]), read(*nodes[3]), update(*nodes[1]), update(*nodes[2])}, p, {p.count, 1, 1});
      },
      Attrs(params));
}

void sgd_step(const Tensor& w, const Tensor& g, const Tensor& velocity, const SgdOptions& options) {
  require_not_negative("sgd_step", "lr", options.lr);
  require_not_negative("sgd_step", "momentum", options.momentum);
  require_not_negative("sgd_step", "weight_decay", options.weight_decay);
  if (options.nesterov && options.momentum == 0) throw ArgumentError("sgd_step", "nesterov is set, and momentum is 0; wanted more");
  const SgdParams params{.shifts = {},
                         .count = 0,
                         .lr = static_cast<float>(options.lr),
                         .momentum = static_cast<float>(options.momentum),
                         .weight_decay = static_cast<float>(options.weight_decay),
                         .nesterov = options.nesterov ? 1U : 0U};
  const auto check = [](std::span<Node* const> nodes) { check_same("sgd_step", nodes); };
  const auto run = [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
    auto p = attrs.as<SgdParams>();
    p.count = static_cast<std::uint32_t>(nodes[0]->numel);
    if (nodes.size() == 2)
      stream.launch(sgd_kernel, {update(*nodes[0]), read(*nodes[1])}, p, {p.count, 1, 1});
    else
      stream.launch(sgd_momentum_kernel, {update(*nodes[0]), read(*nodes[2]), update(*nodes[1])}, p, {p.count, 1, 1});
  };
  const NoGrad guard;
  if (options.momentum == 0)
    apply_in_place("sgd_step", {&w, &g}, 1, check, run, Attrs(params));
  else
    apply_in_place("sgd_step", {&w, &velocity, &g}, 2, check, run, Attrs(params));
}

}  // namespace raw
}  // namespace tidepool::inline v0
