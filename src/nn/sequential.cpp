#include <tidepool/error.h>
#include <tidepool/nn.h>

#include <string_view>

#include "nn/state.h"
#include "platform/cat.h"

namespace tidepool::inline v0::nn {

Sequential& Sequential::add(AnyModule layer) {
  adopt(std::to_string(layers_.size()), *layer);
  layers_.push_back(std::move(layer));
  return *this;
}

Module& Sequential::operator[](std::int64_t i) const {
  if (i < 0 || i >= size()) throw ArgumentError("Sequential", cat("there is no layer ", i, "; it has ", size(), ", counted from 0"));
  return *layers_[static_cast<std::size_t>(i)];
}

namespace {

// `at` is the layer whose turn it is.
Tensor one_after_the_other(const std::vector<AnyModule>& layers, const Tensor& x, std::size_t& at) {
  Tensor y = x;
  const bool observed = ObserverScope::active();  // then each layer is on its own
  for (at = 0; at < layers.size(); ++at) {
    const Activation next = !observed && at + 1 < layers.size() ? layers[at + 1]->activation() : Activation::none;
    if (next != Activation::none && at + 2 < layers.size() && layers[at + 2]->commutes_with(next)) {
      y = (*layers[at])(y);
      at += 2;
      std::optional<Tensor> joined = layers[at]->forward_with(y, next);
      y = joined ? std::move(*joined) : (*layers[at])((*layers[at - 1])(y));
      continue;
    }
    if (next != Activation::none)
      if (std::optional<Tensor> joined = layers[at]->forward_with(y, next)) {
        y = std::move(*joined);
        ++at;
        continue;
      }
    y = (*layers[at])(y);
  }
  return y;
}

// The same error, which also says where in the network it was.
template <class Known>
[[noreturn]] void throw_from_layer(const Known& error, std::size_t at, const Module& layer) {
  const std::string_view text = error.what();
  const std::size_t colon = text.find(": ");
  throw Known(text.substr(0, colon), cat(text.substr(colon + 2), " (in layer ", at, ", ", layer.kind(), ")"));
}

}  // namespace

Tensor Sequential::forward(const Tensor& x) {
  std::size_t at = 0;
  try {
    return one_after_the_other(layers_, x, at);
  } catch (const ShapeError& error) {
    throw_from_layer(error, at, *layers_[at]);
  } catch (const DTypeError& error) {
    throw_from_layer(error, at, *layers_[at]);
  }
}
std::string Sequential::kind() const { return "Sequential"; }

}  // namespace tidepool::inline v0::nn
