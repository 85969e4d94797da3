// Reductions, products, layouts, images, losses.
#include "c/bench.h"

#include <tidepool/ops.h>

#include <cmath>

namespace tidepool::c_tests {

namespace {

using Reduction = tp_status (*)(const tp_tensor*, std::int64_t, int, tp_tensor**);
using Binary = tp_status (*)(const tp_tensor*, const tp_tensor*, tp_tensor**);

// Of [[1, 2], [3, 6]]: over all, and over axis 1.
void reduction(Cases& all, const char* name, Reduction function, double whole, const std::vector<double>& rows) {
  all.push_back({name, [=](Bench& b) {
                   tp_tensor *a = b.f32({1, 2, 3, 6}, {2, 2}), *out = nullptr;
                   b.sweep(function, a, 1, 0, &out);
                   b.expect_values(b.own(out), rows);
                   EXPECT_EQ(b.shape(out), std::vector<std::int64_t>{2});
                   b.expect_ok(function(a, -1, 1, &out));
                   EXPECT_EQ(b.shape(b.own(out)), (std::vector<std::int64_t>{2, 1}));
                   b.expect_ok(function(a, TP_ALL_AXES, 0, &out));
                   b.expect_values(b.own(out), {whole});
                   EXPECT_EQ(b.shape(out), std::vector<std::int64_t>());
                   b.expect_ok(function(a, TP_ALL_AXES, 1, &out));
                   EXPECT_EQ(b.shape(b.own(out)), (std::vector<std::int64_t>{1, 1}));
                   b.expect_error(function(a, 2, 0, &out), TP_SHAPE_ERROR, {"axis 2 is out of range for rank 2"});
                 }});
}

void argmax(Bench& b) {
  tp_tensor *a = b.f32({1, 2, 6, 3}, {2, 2}), *out = nullptr;
  b.sweep(tp_argmax, a, 1, 0, &out);
  b.expect_values(b.own(out), {1, 0});
}

void softmax(Bench& b) {
  tp_tensor* out = nullptr;
  b.sweep(tp_softmax, b.f32({0, std::log(3.0F)}, {1, 2}), 1, &out);
  b.expect_values(b.own(out), {0.25, 0.75});
}
void log_softmax(Bench& b) {
  tp_tensor* out = nullptr;
  b.sweep(tp_log_softmax, b.f32({0, std::log(3.0F)}, {1, 2}), 1, &out);
  b.expect_values(b.own(out), {std::log(0.25), std::log(0.75)});
}

void matmul(Bench& b) {
  tp_tensor *a = b.f32({1, 2, 3, 4}, {2, 2}), *out = nullptr;
  b.sweep(tp_matmul, a, a, &out);
  b.expect_values(b.own(out), {7, 10, 15, 22});
  b.expect_error(tp_matmul(a, b.zeros({3, 1}), &out), TP_SHAPE_ERROR, {"matmul: inner sizes differ: [2, 2] x [3, 1]"});
}

void linear(Bench& b) {
  tp_tensor *x = b.f32({1, 2}, {1, 2}), *w = b.f32({1, 1, 1, -1}, {2, 2}), *out = nullptr;
  b.optional({2}).sweep(tp_linear, x, w, b.f32({10, 0}, {2}), TP_RELU, &out);
  b.expect_values(b.own(out), {13, 0});
  b.expect_ok(tp_linear(x, w, nullptr, TP_NONE, &out));
  b.expect_values(b.own(out), {3, -1});
  b.expect_error(tp_linear(x, w, nullptr, 12, &out), TP_ARGUMENT_ERROR, {"tp_linear: activation is 12"});
}

void transpose(Bench& b) {
  tp_tensor* out = nullptr;
  b.sweep(tp_transpose, b.f32({1, 2, 3, 4}, {2, 2}), &out);
  b.expect_values(b.own(out), {1, 3, 2, 4});
}

void permute(Bench& b) {
  tp_tensor *a = b.f32({1, 2, 3, 4, 5, 6}, {1, 2, 3}), *out = nullptr;
  const std::int64_t axes[] = {2, 0, 1};
  b.sweep(tp_permute, a, axes, 3, &out);
  EXPECT_EQ(b.shape(b.own(out)), (std::vector<std::int64_t>{3, 1, 2}));
  b.expect_values(out, {1, 4, 2, 5, 3, 6});
  b.expect_error(tp_permute(a, axes, 2, &out), TP_SHAPE_ERROR, {"permute"});
  b.expect_error(tp_permute(a, axes, -2, &out), TP_ARGUMENT_ERROR, {"count is -2"});
}

void broadcast_to(Bench& b) {
  tp_tensor *a = b.f32({1, 2}, {2}), *out = nullptr;
  const std::int64_t wanted[] = {2, 2}, wrong[] = {3};
  b.sweep(tp_broadcast_to, a, wanted, 2, &out);
  b.expect_values(b.own(out), {1, 2, 1, 2});
  b.expect_error(tp_broadcast_to(a, wrong, 1, &out), TP_SHAPE_ERROR, {"[3]"});
}

using Joining = tp_status (*)(const tp_tensor* const*, std::int64_t, std::int64_t, tp_tensor**);
void joining(Cases& all, const char* name, Joining join, const std::vector<std::int64_t>& shape) {
  all.push_back({name, [=](Bench& b) {
                   const tp_tensor* parts[] = {b.f32({1, 2}, {2}), b.f32({3, 4}, {2})};
                   tp_tensor* out = nullptr;
                   b.sweep(join, parts, 2, 0, &out);
                   b.expect_values(b.own(out), {1, 2, 3, 4});
                   EXPECT_EQ(b.shape(out), shape);
                   b.expect_error(join(parts, -1, 0, &out), TP_ARGUMENT_ERROR, {"count is -1"});
                   b.expect_error(join(parts, 0, 0, &out), TP_ARGUMENT_ERROR, {"tensor"});
                   b.expect_error(join(parts, 2, 7, &out), TP_SHAPE_ERROR, {"7"});
                   parts[1] = nullptr;
                   b.expect_error(join(parts, 2, 0, &out), TP_ARGUMENT_ERROR, {"one of the tensors is NULL; wanted a tensor"});
                 }});
}

void gather(Bench& b) {
  tp_tensor* out = nullptr;
  b.sweep(tp_gather, b.f32({5, 6, 7}, {3}), 0, b.i32({2, 0}, {2}), &out);
  b.expect_values(b.own(out), {7, 5});
}

void embedding(Bench& b) {
  tp_tensor* out = nullptr;
  b.sweep(tp_embedding, b.f32({1, 2, 3, 4}, {2, 2}), b.i32({1}, {1}), &out);
  b.expect_values(b.own(out), {3, 4});
}

void one_hot(Bench& b) {
  tp_tensor* out = nullptr;
  b.sweep(tp_one_hot, b.i32({1}, {1}), 3, &out);
  b.expect_values(b.own(out), {0, 1, 0});
  b.expect_error(tp_one_hot(b.i32({1}, {1}), 0, &out), TP_ARGUMENT_ERROR, {"one_hot", "0"});
}

tp_tensor* nine(Bench& b) { return b.f32({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1, 3, 3}); }

// Numbers that are all different, small enough for exact sums.
Tensor counted(const Shape& shape) { return arange(shape.numel()).reshape(shape) * 0.125F; }
tp_tensor* counted(Bench& b, const std::vector<std::int64_t>& shape) { return b.f32(counted(Shape(shape)).to_host<float>(), shape); }

void conv2d(Bench& b) {
  tp_conv2d_options options = TP_CONV2D_DEFAULTS;
  tp_tensor *w = b.f32({1, 1, 1, 1}, {1, 1, 2, 2}), *out = nullptr;
  b.optional({2}).sweep(tp_conv2d, nine(b), w, b.f32({-20}, {1}), &options, &out);
  b.expect_values(b.own(out), {-8, -4, 4, 8});
  b.expect_ok(tp_conv2d(nine(b), w, nullptr, nullptr, &out));
  b.expect_values(b.own(out), {12, 16, 24, 28});
  options.stride = 0;
  b.expect_error(tp_conv2d(nine(b), w, nullptr, &options, &out), TP_ARGUMENT_ERROR, {"conv2d", "stride"});
  const tp_conv2d_options all = {.stride = 4, .padding = 1, .dilation = 3, .groups = 2, .activation = TP_SIGMOID};
  b.expect_ok(tp_conv2d(counted(b, {1, 2, 9, 9}), counted(b, {2, 1, 2, 2}), nullptr, &all, &out));
  b.expect_same(b.own(out), tidepool::conv2d(counted({1, 2, 9, 9}), counted({2, 1, 2, 2}), {},
                                             {.stride = 4, .padding = 1, .dilation = 3, .groups = 2, .activation = Activation::sigmoid}));
}

using Pooling = tp_status (*)(const tp_tensor*, const tp_pool_options*, tp_tensor**);
using PoolingInCpp = Tensor (*)(const Tensor&, const PoolOptions&);
void pooling(Cases& all, const char* name, Pooling pool, PoolingInCpp same, double by_default) {
  all.push_back({name, [=](Bench& b) {
                   const tp_pool_options options = {.kernel = 3, .stride = 2, .padding = 1};
                   tp_tensor* out = nullptr;
                   b.sweep(pool, counted(b, {1, 1, 6, 7}), &options, &out);
                   b.expect_same(b.own(out), same(counted({1, 1, 6, 7}), {.kernel = 3, .stride = 2, .padding = 1}));
                   b.expect_ok(pool(nine(b), nullptr, &out));
                   b.expect_values(b.own(out), {by_default});
                 }});
}

void batch_norm(Bench& b) {
  tp_tensor *x = b.f32({1, 3}, {2, 1}), *gamma = b.f32({2}, {1}), *beta = b.f32({1}, {1});
  tp_tensor *mean = b.zeros({1}), *variance = b.f32({1}, {1}), *out = nullptr;
  tp_batch_norm_options options = TP_BATCH_NORM_DEFAULTS;
  b.sweep(tp_batch_norm, x, gamma, beta, mean, variance, &options, &out);
  b.expect_values(b.own(out), {-1, 3}, 1e-4);
  b.expect_values(mean, {0.2});
  b.expect_values(variance, {1.1});
  options.training = 0;
  options.eps = 0;
  b.expect_ok(tp_batch_norm(x, gamma, beta, b.f32({1}, {1}), b.f32({4}, {1}), &options, &out));
  b.expect_values(b.own(out), {1, 3});
  b.expect_ok(tp_batch_norm(x, gamma, beta, mean, variance, nullptr, &out));
  b.expect_values(b.own(out), {-1, 3}, 1e-4);
}

void layer_norm(Bench& b) {
  tp_tensor* out = nullptr;
  b.sweep(tp_layer_norm, b.f32({1, 3}, {1, 2}), b.f32({2, 2}, {2}), b.f32({1, 1}, {2}), 1e-5, &out);
  b.expect_values(b.own(out), {-1, 3}, 1e-4);
}

double softplus(double x) { return std::log1p(std::exp(x)); }

// Of pred {0.2, 0.8} and target {0, 1}.
void loss(Cases& all, const char* name, Binary function, double wanted) {
  all.push_back({name, [=](Bench& b) {
                   tp_tensor* out = nullptr;
                   b.sweep(function, b.f32({0.2F, 0.8F}, {2}), b.f32({0, 1}, {2}), &out);
                   b.expect_values(b.own(out), {wanted});
                   b.expect_error(function(b.zeros({2}), b.zeros({3}), &out), TP_SHAPE_ERROR, {"[2]", "[3]"});
                 }});
}

// Of two rows of logits whose labels are right.
void classes(Cases& all, const char* name, Binary function, double wanted) {
  all.push_back({name, [=](Bench& b) {
                   tp_tensor* out = nullptr;
                   b.sweep(function, b.f32({1, 0, 0, 2}, {2, 2}), b.i32({0, 1}, {2}), &out);
                   b.expect_values(b.own(out), {wanted});
                   b.expect_error(function(b.zeros({2, 2}), b.zeros({2}), &out), TP_DTYPE_ERROR, {"i32"});
                 }});
}

}  // namespace

void add_operation_cases(Cases& all) {
  reduction(all, "tp_sum", tp_sum, 12, {3, 9});
  reduction(all, "tp_mean", tp_mean, 3, {1.5, 4.5});
  reduction(all, "tp_max", tp_max, 6, {2, 6});
  reduction(all, "tp_min", tp_min, 1, {1, 3});
  reduction(all, "tp_var", tp_var, 14.0 / 3, {0.5, 4.5});
  reduction(all, "tp_norm", tp_norm, std::sqrt(50.0), {std::sqrt(5.0), std::sqrt(45.0)});
  all.push_back({"tp_argmax", argmax});
  all.push_back({"tp_softmax", softmax});
  all.push_back({"tp_log_softmax", log_softmax});
  all.push_back({"tp_matmul", matmul});
  all.push_back({"tp_linear", linear});
  all.push_back({"tp_transpose", transpose});
  all.push_back({"tp_permute", permute});
  all.push_back({"tp_broadcast_to", broadcast_to});
  joining(all, "tp_concat", tp_concat, {4});
  joining(all, "tp_stack", tp_stack, {2, 2});
  all.push_back({"tp_gather", gather});
  all.push_back({"tp_embedding", embedding});
  all.push_back({"tp_one_hot", one_hot});
  all.push_back({"tp_conv2d", conv2d});
  pooling(all, "tp_max_pool2d", tp_max_pool2d, tidepool::max_pool2d, 5);
  pooling(all, "tp_avg_pool2d", tp_avg_pool2d, tidepool::avg_pool2d, 3);
  all.push_back({"tp_batch_norm", batch_norm});
  all.push_back({"tp_layer_norm", layer_norm});
  loss(all, "tp_mse_loss", tp_mse_loss, 0.04);
  loss(all, "tp_l1_loss", tp_l1_loss, 0.2);
  loss(all, "tp_huber_loss", tp_huber_loss, 0.02);
  loss(all, "tp_bce_loss", tp_bce_loss, -std::log(0.8));
  loss(all, "tp_bce_with_logits", tp_bce_with_logits, (softplus(0.2) + softplus(0.8) - 0.8) / 2);
  classes(all, "tp_cross_entropy", tp_cross_entropy, (softplus(-1) + softplus(-2)) / 2);
  classes(all, "tp_accuracy", tp_accuracy, 1);
}

}  // namespace tidepool::c_tests
