// Operations without gradients.
#include <tidepool/raw.h>

#include <tidepool/c.h>

#include "c/call.h"
#include "c/options.h"

namespace raw = tidepool::raw;
using tidepool::c::Call;
using tidepool::c::conv2d_options;
using tidepool::c::guarded;
using tidepool::c::im2col_options;
using tidepool::c::pool_options;

tp_status tp_raw_mse_grad(const tp_tensor* pred, const tp_tensor* target, double scale, tp_tensor* dpred) {
  return guarded(__func__, [&](const Call& call) {
    raw::mse_grad(call.tensor("pred", pred), call.tensor("target", target), scale, call.tensor("dpred", dpred));
  });
}

tp_status tp_raw_cross_entropy_grad(const tp_tensor* logits, const tp_tensor* labels, double scale, tp_tensor* dlogits) {
  return guarded(__func__, [&](const Call& call) {
    raw::cross_entropy_grad(call.tensor("logits", logits), call.tensor("labels", labels), scale, call.tensor("dlogits", dlogits));
  });
}

tp_status tp_raw_update_confusion_matrix(const tp_tensor* pred, const tp_tensor* label, tp_tensor* cm) {
  return guarded(__func__, [&](const Call& call) {
    raw::update_confusion_matrix(call.tensor("pred", pred), call.tensor("label", label), call.tensor("cm", cm));
  });
}

tp_status tp_raw_adam_step(tp_tensor* w, const tp_tensor* g, tp_tensor* m, tp_tensor* v, const tp_adam_options* options) {
  return guarded(__func__, [&](const Call& call) {
    tidepool::AdamOptions how;
    if (options)
      how = {.lr = options->lr,
             .beta1 = options->beta1,
             .beta2 = options->beta2,
             .eps = options->eps,
             .weight_decay = options->weight_decay,
             .step = options->step};
    raw::adam_step(call.tensor("w", w), call.tensor("g", g), call.tensor("m", m), call.tensor("v", v), how);
  });
}

tp_status tp_raw_sgd_step(tp_tensor* w, const tp_tensor* g, tp_tensor* velocity, const tp_sgd_options* options) {
  return guarded(__func__, [&](const Call& call) {
    tidepool::SgdOptions how;
    if (options)
      how = {.lr = options->lr, .momentum = options->momentum, .weight_decay = options->weight_decay, .nesterov = options->nesterov != 0};
    raw::sgd_step(call.tensor("w", w), call.tensor("g", g), call.tensor_if_any("velocity", velocity), how);
  });
}

tp_status tp_raw_maxpool2d_fwd(const tp_tensor* x, const tp_pool_options* options, tp_tensor* y, tp_tensor* indices) {
  return guarded(__func__, [&](const Call& call) {
    raw::maxpool2d_fwd(call.tensor("x", x), pool_options(options), call.tensor("y", y), call.tensor("indices", indices));
  });
}

tp_status tp_raw_maxpool2d_bwd(const tp_tensor* dy, const tp_tensor* indices, tp_tensor* dx) {
  return guarded(__func__, [&](const Call& call) {
    raw::maxpool2d_bwd(call.tensor("dy", dy), call.tensor("indices", indices), call.tensor("dx", dx));
  });
}

tp_status tp_raw_im2col(const tp_tensor* x, const tp_im2col_options* options, tp_tensor* columns) {
  return guarded(__func__,
                 [&](const Call& call) { raw::im2col(call.tensor("x", x), im2col_options(options), call.tensor("columns", columns)); });
}

tp_status tp_raw_col2im(const tp_tensor* columns, const tp_im2col_options* options, tp_tensor* x) {
  return guarded(__func__,
                 [&](const Call& call) { raw::col2im(call.tensor("columns", columns), im2col_options(options), call.tensor("x", x)); });
}

tp_status tp_raw_conv2d_fwd(const tp_tensor* x, const tp_tensor* w, const tp_tensor* b, const tp_conv2d_options* options, tp_tensor* y) {
  return guarded(__func__, [&](const Call& call) {
    raw::conv2d_fwd(call.tensor("x", x), call.tensor("w", w), call.tensor_if_any("b", b), conv2d_options(call, options),
                    call.tensor("y", y));
  });
}

tp_status tp_raw_conv2d_bwd_input(const tp_tensor* dy, const tp_tensor* w, const tp_conv2d_options* options, tp_tensor* dx) {
  return guarded(__func__, [&](const Call& call) {
    raw::conv2d_bwd_input(call.tensor("dy", dy), call.tensor("w", w), conv2d_options(call, options), call.tensor("dx", dx));
  });
}

tp_status tp_raw_conv2d_bwd_weights(const tp_tensor* dy, const tp_tensor* x, const tp_conv2d_options* options, tp_tensor* dw) {
  return guarded(__func__, [&](const Call& call) {
    raw::conv2d_bwd_weights(call.tensor("dy", dy), call.tensor("x", x), conv2d_options(call, options), call.tensor("dw", dw));
  });
}

tp_status tp_raw_conv2d_bwd_bias(const tp_tensor* dy, tp_tensor* db) {
  return guarded(__func__, [&](const Call& call) { raw::conv2d_bwd_bias(call.tensor("dy", dy), call.tensor("db", db)); });
}

tp_status tp_raw_linear_fwd(const tp_tensor* x, const tp_tensor* w, const tp_tensor* b, int activation, tp_tensor* y) {
  return guarded(__func__, [&](const Call& call) {
    raw::linear_fwd(call.tensor("x", x), call.tensor("w", w), call.tensor_if_any("b", b), call.activation(activation), call.tensor("y", y));
  });
}

tp_status tp_raw_linear_bwd(const tp_tensor* dy, const tp_tensor* x, const tp_tensor* w, const tp_tensor* y, int activation, tp_tensor* dx,
                            tp_tensor* dw, tp_tensor* db) {
  return guarded(__func__, [&](const Call& call) {
    raw::linear_bwd(call.tensor("dy", dy), call.tensor("x", x), call.tensor("w", w), call.tensor_if_any("y", y),
                    call.activation(activation), call.tensor_if_any("dx", dx), call.tensor_if_any("dw", dw), call.tensor_if_any("db", db));
  });
}

tp_status tp_raw_activation_bwd(int activation, const tp_tensor* y, const tp_tensor* dy, tp_tensor* dx) {
  return guarded(__func__, [&](const Call& call) {
    raw::activation_bwd(call.activation(activation), call.tensor("y", y), call.tensor("dy", dy), call.tensor("dx", dx));
  });
}

tp_status tp_raw_add_bias(const tp_tensor* x, const tp_tensor* b, tp_tensor* y) {
  return guarded(__func__, [&](const Call& call) { raw::add_bias(call.tensor("x", x), call.tensor("b", b), call.tensor("y", y)); });
}
