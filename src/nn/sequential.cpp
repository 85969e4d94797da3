#include <tidepool/error.h>
#include <tidepool/nn.h>

#include "nn/state.h"
#include "platform/cat.h"

namespace tidepool::inline v0::nn {

Sequential& Sequential::add(AnyModule layer) {
  adopt(std::to_string(layers_.size()), *layer);
  layers_.push_back(std::move(layer));
  return *this;
}

Module& Sequential::operator[](std::int64_t i) const {
  if (i < 0 || i >= size()) throw ArgumentError("Sequential", cat("layer ", i, " of ", size()));
  return *layers_[static_cast<std::size_t>(i)];
}

Tensor Sequential::forward(const Tensor& x) {
  Tensor y = x;
  const bool observed = ObserverScope::active();  // then each layer is on its own
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Activation next = !observed && i + 1 < layers_.size() ? layers_[i + 1]->activation() : Activation::none;
    if (next != Activation::none && i + 2 < layers_.size() && layers_[i + 2]->commutes_with(next)) {
      y = (*layers_[i])(y);
      std::optional<Tensor> joined = layers_[i + 2]->forward_with(y, next);
      y = joined ? std::move(*joined) : (*layers_[i + 2])((*layers_[i + 1])(y));
      i += 2;
      continue;
    }
    if (next != Activation::none)
      if (std::optional<Tensor> joined = layers_[i]->forward_with(y, next)) {
        y = std::move(*joined);
        ++i;
        continue;
      }
    y = (*layers_[i])(y);
  }
  return y;
}
std::string Sequential::kind() const { return "Sequential"; }

}  // namespace tidepool::inline v0::nn
