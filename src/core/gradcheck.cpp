#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/ops.h>

#include "core/node.h"
#include "platform/cat.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace tidepool::inline v0 {

namespace {

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

// A fixed direction in the space of results, so that any result is made one number, and no two elements count alike.
double weight(std::size_t i) { return 0.5 + std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0); }

std::vector<float> weights(std::int64_t count) {
  std::vector<float> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(weight(i));
  return all;
}

// The function's result along that direction, summed in double precision.
double measure(const Function& f, const std::vector<Tensor>& inputs) {
  const NoGrad guard;
  const std::vector<float> values = f(inputs).to_host<float>();
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += static_cast<double>(static_cast<float>(weight(i))) * static_cast<double>(values[i]);
  return sum;
}

struct Worst {
  double off = 0;  // in units of what is allowed
  std::string where;
};

void check_input(const Function& f, std::vector<Tensor> inputs, std::size_t which, const Tensor& gradient, const GradcheckOptions& options,
                 Worst& worst) {
  const std::vector<float> start = inputs[which].to_host<float>(), got = gradient.to_host<float>();
  const Shape shape = inputs[which].shape();
  const Device device = inputs[which].device();
  std::vector<float> moved = start;
  const auto at = [&](std::size_t i, double value) {
    moved[i] = static_cast<float>(value);
    inputs[which] = from_host(moved, shape, device);
    return measure(f, inputs);
  };
  double typical = 0;
  for (const float value : got) typical += std::abs(static_cast<double>(value)) / static_cast<double>(got.size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    const auto middle = static_cast<double>(start[i]);
    const double step = options.step * std::max(1.0, std::abs(middle));
    const double above = at(i, middle + step), below = at(i, middle - step);
    const double wanted =
        (above - below) / (static_cast<double>(static_cast<float>(middle + step)) - static_cast<double>(static_cast<float>(middle - step)));
    moved[i] = start[i];
    const double allowed = options.tolerance * std::max({std::abs(wanted), typical, 1e-3});
    const double off = std::abs(static_cast<double>(got[i]) - wanted) / allowed;
    if (off > worst.off || !std::isfinite(off))
      worst = {std::isfinite(off) ? off : HUGE_VAL,
               cat("element ", i, " of input ", which, " ", shape, ": the gradient is ", got[i], ", finite differences say ", wanted)};
  }
}

}  // namespace

bool gradcheck(const Function& f, const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  if (!f) throw ArgumentError("gradcheck", "got an empty function");
  if (!(options.step > 0) || !(options.tolerance > 0))
    throw ArgumentError("gradcheck", cat("step is ", options.step, " and tolerance ", options.tolerance, "; wanted more than 0"));
  std::vector<Tensor> leaves;
  for (const Tensor& input : inputs) {
    const Node& node = usable("gradcheck", input);
    leaves.push_back(node.dtype == DType::f32 ? input.detach().clone().requires_grad() : input);
  }
  const Tensor result = f(leaves);
  result.backward(from_host(weights(result.numel()), result.shape(), result.device()));
  Worst worst;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].dtype() != DType::f32) continue;
    const Tensor gradient = leaves[i].grad().defined() ? leaves[i].grad() : zeros_like(leaves[i]);  // unused: it is 0
    std::vector<Tensor> plain;
    for (const Tensor& leaf : leaves) plain.push_back(leaf.detach());
    check_input(f, plain, i, gradient, options, worst);
  }
  if (worst.off > 1) throw Error("gradcheck", worst.where);
  return true;
}

}  // namespace tidepool::inline v0
