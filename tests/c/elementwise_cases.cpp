// Operations of one and two tensors, element by element.
#include "c/bench.h"

#include <algorithm>
#include <cmath>

namespace tidepool::c_tests {

namespace {

using Unary = tp_status (*)(const tp_tensor*, tp_tensor**);
using Binary = tp_status (*)(const tp_tensor*, const tp_tensor*, tp_tensor**);

const std::vector<float> inputs = {0.25F, 0.5F, 1, 2};

void unary(Cases& all, const char* name, Unary function, double (*reference)(double)) {
  all.push_back({name, [=](Bench& b) {
                   tp_tensor* out = nullptr;
                   b.sweep(function, b.f32(inputs, {2, 2}), &out);
                   std::vector<double> wanted(inputs.begin(), inputs.end());
                   std::ranges::transform(wanted, wanted.begin(), reference);
                   b.expect_values(b.own(out), wanted);
                   EXPECT_EQ(b.shape(out), (std::vector<std::int64_t>{2, 2}));
                   b.expect_error(function(b.zeros({2}, TP_F16), &out), TP_DTYPE_ERROR, {"f16"});
                 }});
}

void binary(Cases& all, const char* name, Binary function, double (*reference)(double, double)) {
  all.push_back({name, [=](Bench& b) {
                   tp_tensor* out = nullptr;
                   b.sweep(function, b.f32({1, 2, 3}, {3}), b.f32({2}, {1}), &out);
                   b.expect_values(b.own(out), {reference(1, 2), reference(2, 2), reference(3, 2)});
                   b.expect_error(function(b.zeros({3}), b.zeros({2}), &out), TP_SHAPE_ERROR, {"[3]", "[2]"});
                   b.expect_error(function(b.zeros({3}), b.zeros({3}, TP_U8), &out), TP_DTYPE_ERROR, {"u8"});
                 }});
}

void add_unary(Cases& all) {
  unary(all, "tp_neg", tp_neg, [](double x) { return -x; });
  unary(all, "tp_square", tp_square, [](double x) { return x * x; });
  unary(all, "tp_sqrt", tp_sqrt, [](double x) { return std::sqrt(x); });
  unary(all, "tp_exp", tp_exp, [](double x) { return std::exp(x); });
  unary(all, "tp_abs", tp_abs, [](double x) { return std::abs(x); });
  unary(all, "tp_log", tp_log, [](double x) { return std::log(x); });
  unary(all, "tp_sin", tp_sin, [](double x) { return std::sin(x); });
  unary(all, "tp_cos", tp_cos, [](double x) { return std::cos(x); });
  unary(all, "tp_relu", tp_relu, [](double x) { return std::max(x, 0.0); });
  unary(all, "tp_sigmoid", tp_sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); });
  unary(all, "tp_tanh", tp_tanh, [](double x) { return std::tanh(x); });
  unary(all, "tp_gelu", tp_gelu, [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); });
  unary(all, "tp_silu", tp_silu, [](double x) { return x / (1 + std::exp(-x)); });
  unary(all, "tp_softplus", tp_softplus, [](double x) { return std::log1p(std::exp(x)); });
  unary(all, "tp_softsign", tp_softsign, [](double x) { return x / (1 + std::abs(x)); });
}

void add_binary(Cases& all) {
  binary(all, "tp_add", tp_add, [](double a, double b) { return a + b; });
  binary(all, "tp_sub", tp_sub, [](double a, double b) { return a - b; });
  binary(all, "tp_mul", tp_mul, [](double a, double b) { return a * b; });
  binary(all, "tp_div", tp_div, [](double a, double b) { return a / b; });
  binary(all, "tp_maximum", tp_maximum, [](double a, double b) { return std::max(a, b); });
  binary(all, "tp_minimum", tp_minimum, [](double a, double b) { return std::min(a, b); });
  binary(all, "tp_eq", tp_eq, [](double a, double b) { return a == b ? 1.0 : 0.0; });
  binary(all, "tp_ne", tp_ne, [](double a, double b) { return a != b ? 1.0 : 0.0; });
  binary(all, "tp_lt", tp_lt, [](double a, double b) { return a < b ? 1.0 : 0.0; });
  binary(all, "tp_le", tp_le, [](double a, double b) { return a <= b ? 1.0 : 0.0; });
  binary(all, "tp_gt", tp_gt, [](double a, double b) { return a > b ? 1.0 : 0.0; });
  binary(all, "tp_ge", tp_ge, [](double a, double b) { return a >= b ? 1.0 : 0.0; });
}

using WithNumber = tp_status (*)(const tp_tensor*, float, tp_tensor**);
void with_number(Cases& all, const char* name, WithNumber function, float number, const std::vector<double>& wanted) {
  all.push_back({name, [=](Bench& b) {
                   tp_tensor* out = nullptr;
                   b.sweep(function, b.f32({-2, 3}, {2}), number, &out);
                   b.expect_values(b.own(out), wanted);
                 }});
}

void clamp(Bench& b) {
  tp_tensor* out = nullptr;
  b.sweep(tp_clamp, b.f32({-5, 0, 5}, {3}), -1, 2, &out);
  b.expect_values(b.own(out), {-1, 0, 2});
}

void where(Bench& b) {
  tp_tensor* out = nullptr;
  b.sweep(tp_where, b.u8({1, 0}, {2}), b.f32({1, 2}, {2}), b.f32({3, 4}, {2}), &out);
  b.expect_values(b.own(out), {1, 4});
  b.expect_error(tp_where(b.zeros({2}), b.zeros({2}), b.zeros({2}), &out), TP_DTYPE_ERROR, {"where", "u8"});
}

void dropout(Bench& b) {
  tp_tensor* out = nullptr;
  b.sweep(tp_dropout, b.f32({1, 2}, {2}), 0.5, 0, &out);
  b.expect_values(b.own(out), {1, 2});
  b.expect_ok(tp_dropout(b.f32(std::vector<float>(64, 1.0F), {64}), 0.5, 1, &out));
  const std::vector<float> dropped = b.values(b.own(out));
  EXPECT_GT(std::ranges::count(dropped, 0.0F), 8);
  EXPECT_EQ(std::ranges::count(dropped, 0.0F) + std::ranges::count(dropped, 2.0F), 64);
  b.expect_error(tp_dropout(out, 1.5, 1, &out), TP_ARGUMENT_ERROR, {"dropout", "1.5"});
}

}  // namespace

void add_elementwise_cases(Cases& all) {
  add_unary(all);
  add_binary(all);
  with_number(all, "tp_add_number", tp_add_number, 0.5F, {-1.5, 3.5});
  with_number(all, "tp_mul_number", tp_mul_number, 0.5F, {-1, 1.5});
  with_number(all, "tp_pow", tp_pow, 3, {-8, 27});
  with_number(all, "tp_leaky_relu", tp_leaky_relu, 0.25F, {-0.5, 3});
  all.push_back({"tp_clamp", clamp});
  all.push_back({"tp_where", where});
  all.push_back({"tp_dropout", dropout});
}

}  // namespace tidepool::c_tests
