#include "train/diagnosis.h"

#include <tidepool/grad.h>
#include <tidepool/memory.h>

#include "nn/state.h"
#include "platform/cat.h"

#include <algorithm>
#include <cmath>

namespace tidepool::inline v0 {

namespace {

bool finite(const Tensor& tensor) {
  if (tensor.dtype() != DType::f32) return true;
  return std::ranges::all_of(tensor.to_host<float>(), [](float value) { return std::isfinite(value); });
}

std::string place_of(const nn::Module& net, const nn::Module& part) {
  for (const auto& [name, state] : named_modules(net))
    if (state == &nn::ModuleAccess::state(part)) return name.empty() ? part.kind() : cat("layer ", name, " (", part.kind(), ")");
  return part.kind();
}

}  // namespace

std::string first_not_finite(nn::Module& net, const Trainer::Loss& loss, const Tensor& x, const Tensor& y) {
  const Tidy scope;
  const NoGrad guard;
  for (const auto& [name, parameter] : net.named_parameters())
    if (!finite(parameter)) return cat("the parameter '", name, "' is not finite since the step before; lower the learning rate");
  if (!finite(x)) return "the batch itself has inputs that are not finite; look at the data";
  if (!finite(y)) return "the batch itself has targets that are not finite; look at the data";
  std::string found;
  Tensor prediction;
  {
    const nn::ObserverScope observer([&](const nn::Module& part, const Tensor&, const Tensor& out) {
      if (found.empty() && !finite(out)) found = cat("the first output that is not finite is of ", place_of(net, part), ", ", out.shape());
    });
    prediction = net(x);
  }
  if (!found.empty()) return found + "; lower the learning rate, or look at the data";
  if (!finite(loss(prediction, y))) return "every layer's output is finite, the loss function's is not";
  return "this step's loss is finite; one of its gradients is not";
}

}  // namespace tidepool::inline v0
