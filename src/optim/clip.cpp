#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/memory.h>
#include <tidepool/ops.h>
#include <tidepool/optim.h>

#include "platform/cat.h"

#include <cmath>
#include <unordered_set>

namespace tidepool::inline v0::optim {

Tensor clip_grad_norm(const std::vector<Tensor>& parameters, double most) {
  if (!(most > 0 && std::isfinite(most))) throw ArgumentError("clip_grad_norm", cat("the norm is ", most, "; wanted more than 0"));
  const NoGrad guard;
  return tidy([&] {
    Tensor squares;
    std::vector<Tensor> gradients;
    std::unordered_set<const Node*> seen;  // a parameter that is given twice counts once
    for (const Tensor& parameter : parameters) {
      const Tensor gradient = parameter.grad();
      if (!gradient.defined() || !seen.insert(gradient.node()).second) continue;
      gradients.push_back(gradient);
      const Tensor own = sum(square(gradient));
      squares = squares.defined() ? squares + own : own;
    }
    if (!squares.defined()) throw Error("clip_grad_norm", "no parameter has a gradient yet; call backward() first");
    Tensor total = sqrt(squares);
    // As PyTorch has it: a little more than the norm, never more than 1.
    const Tensor factor = clamp(static_cast<float>(most) / (total + 1e-6F), 0.0F, 1.0F);
    for (const Tensor& gradient : gradients) copy_(gradient, gradient * factor);
    return total;
  });
}

}  // namespace tidepool::inline v0::optim
