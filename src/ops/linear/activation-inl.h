// The fused activations, for vectors: what `linear` and `conv2d` do to their result, and the way back from that result.
// Include it after backend/cpu/simd-inl.h; like that one it is compiled once for each instruction set.
//
//     with_activation(p.activation, [&](auto act) HWY_ATTR { store(activate(act, sum), to); });
//     with_activation(p.activation, [&](auto act) HWY_ATTR { store(activation_gradient(act, load(y), load(dy)), dx); });
#if defined(TIDEPOOL_ACTIVATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TIDEPOOL_ACTIVATION_INL_H
#undef TIDEPOOL_ACTIVATION_INL_H
#else
#define TIDEPOOL_ACTIVATION_INL_H
#endif

#include <tidepool/ops.h>

#include "backend/cpu/simd-inl.h"

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {

// As a type, so that loops are compiled for each.
template <Activation act>
using Act = std::integral_constant<Activation, act>;

// The expressions are those of elementwise/unary.def: fused or not, the bits are the same.
HWY_INLINE Pack activate(Act<Activation::none>, Pack x) { return x; }
HWY_INLINE Pack activate(Act<Activation::relu>, Pack x) { return select(x <= 0.0F, 0.0F, x); }
HWY_INLINE Pack activate(Act<Activation::sigmoid>, Pack x) { return 1.0F / (1.0F + exp(-x)); }
HWY_INLINE Pack activate(Act<Activation::tanh>, Pack x) { return tanh(x); }

// dloss/dx from y = activate(x) and d = dloss/dy. Gelu is not monotonic, so its y does not tell.
HWY_INLINE Pack activation_gradient(Act<Activation::none>, Pack, Pack d) { return d; }
HWY_INLINE Pack activation_gradient(Act<Activation::relu>, Pack y, Pack d) { return select(y <= 0.0F, 0.0F, d); }
HWY_INLINE Pack activation_gradient(Act<Activation::sigmoid>, Pack y, Pack d) { return d * y * (1.0F - y); }
HWY_INLINE Pack activation_gradient(Act<Activation::tanh>, Pack y, Pack d) { return d * (1.0F - y * y); }

// Calls body(Act<activation>()). Gelu is composed by its callers and never comes here.
template <class Body>
HWY_INLINE void with_activation(Activation activation, Body&& body) {
  switch (activation) {
    case Activation::relu:
      return body(Act<Activation::relu>());
    case Activation::sigmoid:
      return body(Act<Activation::sigmoid>());
    case Activation::tanh:
      return body(Act<Activation::tanh>());
    default:
      return body(Act<Activation::none>());
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#endif
