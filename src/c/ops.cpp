// Operations with gradients.
#include <tidepool/c.h>

#include "c/call.h"
#include "c/options.h"

#include <vector>

namespace tp = tidepool;
using tp::c::Call;
using tp::c::gives_tensor;

namespace {

std::vector<tp::Tensor> all_of(const Call& call, const tp_tensor* const* tensors, std::int64_t count) {
  std::vector<tp::Tensor> all;
  for (const tp_tensor* tensor : call.values("tensors", tensors, "count", count)) all.push_back(call.tensor("one of the tensors", tensor));
  return all;
}

}  // namespace

#define UNARY(name)                                                                                            \
  tp_status tp_##name(const tp_tensor* a, tp_tensor** out) {                                                   \
    return gives_tensor(__func__, out, [&](const Call& call) { return tidepool::name(call.tensor("a", a)); }); \
  }
UNARY(neg)
UNARY(square)
UNARY(sqrt)
UNARY(exp)
UNARY(abs)
UNARY(log)
UNARY(sin)
UNARY(cos)
UNARY(relu)
UNARY(sigmoid)
UNARY(tanh)
UNARY(gelu)
UNARY(silu)
UNARY(softplus)
UNARY(softsign)
UNARY(transpose)

#define BINARY(name, a, b)                                                                                                        \
  tp_status tp_##name(const tp_tensor* a, const tp_tensor* b, tp_tensor** out) {                                                  \
    return gives_tensor(__func__, out, [&](const Call& call) { return tidepool::name(call.tensor(#a, a), call.tensor(#b, b)); }); \
  }
BINARY(add, a, b)
BINARY(sub, a, b)
BINARY(mul, a, b)
BINARY(div, a, b)
BINARY(maximum, a, b)
BINARY(minimum, a, b)
BINARY(eq, a, b)
BINARY(ne, a, b)
BINARY(lt, a, b)
BINARY(le, a, b)
BINARY(gt, a, b)
BINARY(ge, a, b)
BINARY(matmul, a, b)
BINARY(embedding, table, index)
BINARY(mse_loss, pred, target)
BINARY(l1_loss, pred, target)
BINARY(huber_loss, pred, target)
BINARY(bce_loss, pred, target)
BINARY(bce_with_logits, pred, target)
BINARY(cross_entropy, logits, labels)
BINARY(accuracy, logits, labels)

#define REDUCTION(name)                                                                       \
  tp_status tp_##name(const tp_tensor* a, int64_t axis, int keepdim, tp_tensor** out) {       \
    return gives_tensor(__func__, out, [&](const Call& call) {                                \
      const tp::Tensor from = call.tensor("a", a);                                            \
      if (axis != TP_ALL_AXES) return (tidepool::name)(from, axis, keepdim != 0);             \
      const tp::Tensor one = (tidepool::name)(from);                                          \
      const std::vector<std::int64_t> ones(static_cast<std::size_t>(from.shape().rank()), 1); \
      return keepdim ? one.reshape(tp::Shape(ones)) : one;                                    \
    });                                                                                       \
  }
REDUCTION(sum)
REDUCTION(mean)
REDUCTION(max)
REDUCTION(min)
REDUCTION(var)
REDUCTION(norm)

tp_status tp_argmax(const tp_tensor* a, int64_t axis, int keepdim, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::argmax(call.tensor("a", a), axis, keepdim != 0); });
}
tp_status tp_softmax(const tp_tensor* a, int64_t axis, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::softmax(call.tensor("a", a), axis); });
}
tp_status tp_log_softmax(const tp_tensor* a, int64_t axis, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::log_softmax(call.tensor("a", a), axis); });
}

tp_status tp_add_number(const tp_tensor* a, float b, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return call.tensor("a", a) + b; });
}
tp_status tp_mul_number(const tp_tensor* a, float b, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return call.tensor("a", a) * b; });
}
tp_status tp_pow(const tp_tensor* a, float exponent, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::pow(call.tensor("a", a), exponent); });
}
tp_status tp_clamp(const tp_tensor* a, float low, float high, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::clamp(call.tensor("a", a), low, high); });
}
tp_status tp_leaky_relu(const tp_tensor* a, float slope, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::leaky_relu(call.tensor("a", a), slope); });
}
tp_status tp_where(const tp_tensor* condition, const tp_tensor* a, const tp_tensor* b, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) {
    return tp::where(call.tensor("condition", condition), call.tensor("a", a), call.tensor("b", b));
  });
}
tp_status tp_dropout(const tp_tensor* x, double p, int training, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::dropout(call.tensor("x", x), p, training != 0); });
}

tp_status tp_linear(const tp_tensor* x, const tp_tensor* w, const tp_tensor* b, int activation, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) {
    return tp::linear(call.tensor("x", x), call.tensor("w", w), call.tensor_if_any("b", b), call.activation(activation));
  });
}
tp_status tp_permute(const tp_tensor* a, const int64_t* axes, int64_t count, tp_tensor** out) {
  return gives_tensor(__func__, out,
                      [&](const Call& call) { return tp::permute(call.tensor("a", a), call.values("axes", axes, "count", count)); });
}
tp_status tp_broadcast_to(const tp_tensor* a, const int64_t* shape, int64_t rank, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::broadcast_to(call.tensor("a", a), call.shape(shape, rank)); });
}
tp_status tp_concat(const tp_tensor* const* tensors, int64_t count, int64_t axis, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::concat(all_of(call, tensors, count), axis); });
}
tp_status tp_stack(const tp_tensor* const* tensors, int64_t count, int64_t axis, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::stack(all_of(call, tensors, count), axis); });
}
tp_status tp_gather(const tp_tensor* a, int64_t axis, const tp_tensor* index, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::gather(call.tensor("a", a), axis, call.tensor("index", index)); });
}
tp_status tp_one_hot(const tp_tensor* labels, int64_t classes, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::one_hot(call.tensor("labels", labels), classes); });
}

tp_status tp_conv2d(const tp_tensor* x, const tp_tensor* w, const tp_tensor* b, const tp_conv2d_options* options, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) {
    return tp::conv2d(call.tensor("x", x), call.tensor("w", w), call.tensor_if_any("b", b), tp::c::conv2d_options(call, options));
  });
}
tp_status tp_max_pool2d(const tp_tensor* x, const tp_pool_options* options, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::max_pool2d(call.tensor("x", x), tp::c::pool_options(options)); });
}
tp_status tp_avg_pool2d(const tp_tensor* x, const tp_pool_options* options, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::avg_pool2d(call.tensor("x", x), tp::c::pool_options(options)); });
}
tp_status tp_batch_norm(const tp_tensor* x, const tp_tensor* gamma, const tp_tensor* beta, tp_tensor* running_mean, tp_tensor* running_var,
                        const tp_batch_norm_options* options, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) {
    tp::BatchNormOptions how;
    if (options) how = {.training = options->training != 0, .momentum = options->momentum, .eps = options->eps};
    return tp::batch_norm(call.tensor("x", x), call.tensor("gamma", gamma), call.tensor("beta", beta),
                          call.tensor("running_mean", running_mean), call.tensor("running_var", running_var), how);
  });
}
tp_status tp_layer_norm(const tp_tensor* x, const tp_tensor* gamma, const tp_tensor* beta, double eps, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) {
    return tp::layer_norm(call.tensor("x", x), call.tensor("gamma", gamma), call.tensor("beta", beta), eps);
  });
}
