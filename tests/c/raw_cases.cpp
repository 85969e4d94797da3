// Operations without gradients, against numbers worked out by hand.
#include "c/bench.h"

#include <cmath>

namespace tidepool::c_tests {

namespace {

void mse_grad(Bench& b) {
  tp_tensor* const dpred = b.zeros({2});
  b.sweep(tp_raw_mse_grad, b.f32({3, 5}, {2}), b.f32({1, 6}, {2}), 0.5, dpred);
  b.expect_values(dpred, {1, -0.5});
  b.expect_error(tp_raw_mse_grad(dpred, b.zeros({3}), 1, b.zeros({2})), TP_SHAPE_ERROR, {"mse_grad", "[3]"});
}

void cross_entropy_grad(Bench& b) {
  tp_tensor* const dlogits = b.zeros({1, 2});
  b.sweep(tp_raw_cross_entropy_grad, b.f32({0, 0}, {1, 2}), b.i32({1}, {1}), 2, dlogits);
  b.expect_values(dlogits, {1, -1});
  b.expect_error(tp_raw_cross_entropy_grad(b.zeros({1, 2}), b.zeros({1}), 1, dlogits), TP_DTYPE_ERROR, {"i32"});
}

void update_confusion_matrix(Bench& b) {
  tp_tensor* const cm = b.i32({0, 0, 0, 5}, {2, 2});
  b.sweep(tp_raw_update_confusion_matrix, b.i32({1, 0}, {2}), b.i32({1, 1}, {2}), cm);
  b.expect_values(cm, {0, 0, 1, 6});
}

void adam_step(Bench& b) {
  tp_tensor *w = b.f32({1}, {1}), *g = b.f32({0.5}, {1}), *m = b.zeros({1}), *v = b.zeros({1});
  tp_adam_options options = TP_ADAM_DEFAULTS;
  options.lr = 0.1;
  b.sweep(tp_raw_adam_step, w, g, m, v, &options);
  b.expect_values(w, {0.9});
  b.expect_values(m, {0.05});
  b.expect_values(v, {0.00025}, 1e-8);
  tp_tensor *w2 = b.f32({1}, {1}), *m2 = b.zeros({1}), *v2 = b.zeros({1});
  b.expect_ok(tp_raw_adam_step(w2, g, m2, v2, nullptr));
  b.expect_values(w2, {0.999});
  tp_tensor *w3 = b.f32({1}, {1}), *m3 = b.zeros({1}), *v3 = b.zeros({1});
  const tp_adam_options all = {.lr = 0.5, .beta1 = 0.5, .beta2 = 0.75, .eps = 0.5, .weight_decay = 0.5, .step = 2};
  b.expect_ok(tp_raw_adam_step(w3, g, m3, v3, &all));  // the gradient is 0.5 + 0.5 * 1
  b.expect_values(m3, {0.5});
  b.expect_values(v3, {0.25});
  b.expect_values(w3, {1 - 0.5 * (0.5 / 0.75) / (std::sqrt(0.25 / 0.4375) + 0.5)});
  options.step = 0;
  b.expect_error(tp_raw_adam_step(w, g, m, v, &options), TP_ARGUMENT_ERROR, {"adam_step", "step", "0"});
}

void sgd_step(Bench& b) {
  tp_tensor *w = b.f32({1}, {1}), *g = b.f32({0.5}, {1}), *velocity = b.f32({1}, {1});
  const tp_sgd_options options = {.lr = 0.1, .momentum = 0.5, .weight_decay = 0, .nesterov = 0};
  b.optional({2}).sweep(tp_raw_sgd_step, w, g, velocity, &options);
  b.expect_values(velocity, {1});
  b.expect_values(w, {0.9});
  b.expect_ok(tp_raw_sgd_step(w, g, nullptr, nullptr));
  b.expect_values(w, {0.895});
  b.expect_error(tp_raw_sgd_step(w, g, nullptr, &options), TP_RELEASED_ERROR, {"sgd_step"});
  tp_tensor *other = b.f32({1}, {1}), *speed = b.f32({2}, {1});
  const tp_sgd_options all = {.lr = 0.5, .momentum = 0.25, .weight_decay = 0.125, .nesterov = 1};
  b.expect_ok(tp_raw_sgd_step(other, g, speed, &all));
  b.expect_values(speed, {1.125});                        // 0.25 * 2 + (0.5 + 0.125)
  b.expect_values(other, {1 - 0.5 * (0.625 + 0.28125)});  // the gradient, and a quarter of the new speed
}

void maxpool2d_fwd(Bench& b) {
  tp_tensor *x = b.f32({1, 4, 3, 2}, {1, 1, 2, 2}), *y = b.zeros({1, 1, 1, 1}), *indices = b.zeros({1, 1, 1, 1}, TP_I32);
  const tp_pool_options options = TP_POOL_DEFAULTS;
  b.sweep(tp_raw_maxpool2d_fwd, x, &options, y, indices);
  b.expect_values(y, {4});
  b.expect_values(indices, {1});
  b.expect_ok(tp_raw_maxpool2d_fwd(x, nullptr, y, indices));
  const tp_pool_options none = {.kernel = 0, .stride = 0, .padding = 0};
  b.expect_error(tp_raw_maxpool2d_fwd(x, &none, y, indices), TP_ARGUMENT_ERROR, {"maxpool2d_fwd", "kernel"});
}

void maxpool2d_bwd(Bench& b) {
  tp_tensor* const dx = b.f32({9, 9, 9, 9}, {1, 1, 2, 2});
  b.sweep(tp_raw_maxpool2d_bwd, b.f32({5}, {1, 1, 1, 1}), b.i32({1}, {1, 1, 1, 1}), dx);
  b.expect_values(dx, {0, 5, 0, 0});
}

void im2col(Bench& b) {
  tp_tensor *x = b.f32({1, 2, 3, 4, 5, 6}, {1, 1, 2, 3}), *columns = b.zeros({1, 4, 2});
  const tp_im2col_options options = {.kernel = 2, .stride = 1, .padding = 0, .dilation = 1};
  b.sweep(tp_raw_im2col, x, &options, columns);
  b.expect_values(columns, {1, 2, 2, 3, 4, 5, 5, 6});
  const tp_im2col_options all = {.kernel = 2, .stride = 4, .padding = 1, .dilation = 3};  // rows -1 and 2, of columns -1 and 2
  tp_tensor *wide = b.f32({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {1, 1, 3, 4}), *window = b.zeros({1, 4, 1});
  b.expect_ok(tp_raw_im2col(wide, &all, window));
  b.expect_values(window, {0, 0, 0, 11});
  b.expect_error(tp_raw_im2col(x, nullptr, columns), TP_SHAPE_ERROR, {"im2col"});  // a kernel of 3 is too large
}

void col2im(Bench& b) {
  tp_tensor *columns = b.f32({1, 2, 2, 3, 4, 5, 5, 6}, {1, 4, 2}), *x = b.zeros({1, 1, 2, 3});
  const tp_im2col_options options = {.kernel = 2, .stride = 1, .padding = 0, .dilation = 1};
  b.sweep(tp_raw_col2im, columns, &options, x);
  b.expect_values(x, {1, 4, 3, 4, 10, 6});
}

constexpr tp_conv2d_options plain = TP_CONV2D_DEFAULTS;

tp_tensor* nine(Bench& b) { return b.f32({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1, 3, 3}); }
tp_tensor* ones(Bench& b) { return b.f32({1, 1, 1, 1}, {1, 1, 2, 2}); }

void conv2d_fwd(Bench& b) {
  tp_tensor *y = b.zeros({1, 1, 2, 2}), *bias = b.f32({-20}, {1});
  b.optional({2}).sweep(tp_raw_conv2d_fwd, nine(b), ones(b), bias, &plain, y);
  b.expect_values(y, {-8, -4, 4, 8});
  tp_conv2d_options relu = plain;
  relu.activation = TP_RELU;
  b.expect_ok(tp_raw_conv2d_fwd(nine(b), ones(b), bias, &relu, y));
  b.expect_values(y, {0, 0, 4, 8});
  b.expect_ok(tp_raw_conv2d_fwd(nine(b), ones(b), nullptr, nullptr, y));
  b.expect_values(y, {12, 16, 24, 28});
  relu.activation = 99;
  b.expect_error(tp_raw_conv2d_fwd(nine(b), ones(b), bias, &relu, y), TP_ARGUMENT_ERROR, {"tp_raw_conv2d_fwd: activation is 99"});
}

void conv2d_bwd_input(Bench& b) {
  tp_tensor* const dx = b.zeros({1, 1, 3, 3});
  b.sweep(tp_raw_conv2d_bwd_input, ones(b), ones(b), &plain, dx);
  b.expect_values(dx, {1, 2, 1, 2, 4, 2, 1, 2, 1});
}

void conv2d_bwd_weights(Bench& b) {
  tp_tensor* const dw = b.zeros({1, 1, 2, 2});
  b.sweep(tp_raw_conv2d_bwd_weights, ones(b), nine(b), &plain, dw);
  b.expect_values(dw, {12, 16, 24, 28});
}

void conv2d_bwd_bias(Bench& b) {
  tp_tensor* const db = b.zeros({1});
  b.sweep(tp_raw_conv2d_bwd_bias, ones(b), db);
  b.expect_values(db, {4});
}

void linear_fwd(Bench& b) {
  tp_tensor *x = b.f32({1, 2}, {1, 2}), *w = b.f32({1, 1, 1, -1}, {2, 2}), *bias = b.f32({10, 0}, {2}), *y = b.zeros({1, 2});
  b.optional({2}).sweep(tp_raw_linear_fwd, x, w, bias, TP_RELU, y);
  b.expect_values(y, {13, 0});
  b.expect_ok(tp_raw_linear_fwd(x, w, nullptr, TP_NONE, y));
  b.expect_values(y, {3, -1});
  for (const int wrong : {-1, 5})
    b.expect_error(tp_raw_linear_fwd(x, w, bias, wrong, y), TP_ARGUMENT_ERROR,
                   {"tp_raw_linear_fwd: activation is " + std::to_string(wrong), "TP_GELU (4)"});
  b.expect_error(tp_raw_linear_fwd(x, b.zeros({2, 3}), bias, TP_NONE, y), TP_SHAPE_ERROR, {"inner sizes differ"});
}

void linear_bwd(Bench& b) {
  tp_tensor *x = b.f32({1, 2}, {1, 2}), *w = b.f32({1, 1, 1, -1}, {2, 2}), *dy = b.f32({1, 2}, {1, 2});
  tp_tensor *dx = b.zeros({1, 2}), *dw = b.zeros({2, 2}), *db = b.zeros({2});
  b.optional({3, 5, 6, 7}).sweep(tp_raw_linear_bwd, dy, x, w, b.f32({3, -1}, {1, 2}), TP_NONE, dx, dw, db);
  b.expect_values(dx, {3, -1});
  b.expect_values(dw, {1, 2, 2, 4});
  b.expect_values(db, {1, 2});
  b.expect_ok(tp_raw_linear_bwd(dy, x, w, nullptr, TP_NONE, nullptr, nullptr, db));
  b.expect_error(tp_raw_linear_bwd(dy, x, w, nullptr, TP_RELU, dx, dw, db), TP_RELEASED_ERROR, {"linear_bwd"});
  b.expect_error(tp_raw_linear_bwd(dy, x, w, dy, TP_GELU, dx, dw, db), TP_ARGUMENT_ERROR, {"gelu"});
}

void activation_bwd(Bench& b) {
  tp_tensor* const dx = b.zeros({2});
  b.sweep(tp_raw_activation_bwd, TP_RELU, b.f32({0, 3}, {2}), b.f32({5, 6}, {2}), dx);
  b.expect_values(dx, {0, 6});
  b.expect_error(tp_raw_activation_bwd(7, dx, dx, dx), TP_ARGUMENT_ERROR, {"activation is 7"});
}

void add_bias(Bench& b) {
  tp_tensor* const y = b.zeros({2, 2});
  b.sweep(tp_raw_add_bias, b.f32({1, 2, 3, 4}, {2, 2}), b.f32({10, 20}, {2}), y);
  b.expect_values(y, {11, 22, 13, 24});
}

}  // namespace

void add_raw_cases(Cases& all) {
  all.push_back({"tp_raw_mse_grad", mse_grad});
  all.push_back({"tp_raw_cross_entropy_grad", cross_entropy_grad});
  all.push_back({"tp_raw_update_confusion_matrix", update_confusion_matrix});
  all.push_back({"tp_raw_adam_step", adam_step});
  all.push_back({"tp_raw_sgd_step", sgd_step});
  all.push_back({"tp_raw_maxpool2d_fwd", maxpool2d_fwd});
  all.push_back({"tp_raw_maxpool2d_bwd", maxpool2d_bwd});
  all.push_back({"tp_raw_im2col", im2col});
  all.push_back({"tp_raw_col2im", col2im});
  all.push_back({"tp_raw_conv2d_fwd", conv2d_fwd});
  all.push_back({"tp_raw_conv2d_bwd_input", conv2d_bwd_input});
  all.push_back({"tp_raw_conv2d_bwd_weights", conv2d_bwd_weights});
  all.push_back({"tp_raw_conv2d_bwd_bias", conv2d_bwd_bias});
  all.push_back({"tp_raw_linear_fwd", linear_fwd});
  all.push_back({"tp_raw_linear_bwd", linear_bwd});
  all.push_back({"tp_raw_activation_bwd", activation_bwd});
  all.push_back({"tp_raw_add_bias", add_bias});
}

}  // namespace tidepool::c_tests
