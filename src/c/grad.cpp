// Gradients.
#include <tidepool/grad.h>

#include <tidepool/c.h>

#include "c/call.h"

using tidepool::Tensor;
using tidepool::c::Call;
using tidepool::c::guarded;

tp_status tp_tensor_requires_grad(tp_tensor* tensor, int on) {
  return guarded(__func__, [&](const Call& call) { call.tensor("tensor", tensor).requires_grad(on != 0); });
}
tp_status tp_tensor_backward(const tp_tensor* tensor, const tp_tensor* seed) {
  return guarded(__func__, [&](const Call& call) {
    const Tensor from = call.tensor("tensor", tensor);
    seed ? from.backward(call.tensor("seed", seed)) : from.backward();
  });
}
tp_status tp_tensor_grad(const tp_tensor* tensor, tp_tensor** out) {
  return tidepool::c::gives(
      __func__, "out", out, [&](const Call& call) { return call.tensor("tensor", tensor).grad(); },
      [](const Tensor& grad) { return grad.defined() ? tidepool::c::hand_out(grad) : nullptr; });
}
tp_status tp_tensor_zero_grad(tp_tensor* tensor) {
  return guarded(__func__, [&](const Call& call) { call.tensor("tensor", tensor).zero_grad(); });
}
