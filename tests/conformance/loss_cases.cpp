#include "conformance/cases.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tidepool::conformance {

namespace {

RefTensor mean_of(const std::vector<double>& values) {
  RefTensor result = filled({}, 0);
  double magnitude = 0;
  for (const double value : values) {
    result.values[0] += value;
    magnitude += std::abs(value);
  }
  const auto count = static_cast<double>(values.size());
  result.values[0] /= count;
  result.magnitudes = {magnitude / count + 1e-3};
  return result;
}

std::vector<Case> loss_shapes() {
  return {{.shape = {}},     {.shape = {1}},      {.shape = {7}}, {.shape = {3, 5}}, {.shape = {0}}, {.shape = {33, 5}, .view = true},
          {.shape = {1025}}, {.shape = {3000, 2}}};
}

using OfPair = std::function<double(double p, double t)>;

void pair_cases(std::vector<OpCases>& all, const char* op, Tensor (*loss)(const Tensor&, const Tensor&), double low, double high,
                const OfPair& f) {
  all.push_back({.op = op,
                 .make =
                     [=](Inputs& in, const Case& c) {
                       const Tensor pred = in.uniform(c.shape, low, high);
                       return loss(pred, in.uniform(c.shape, 0.05, 0.95));
                     },
                 .reference =
                     [=](const RefTensors& in, const Case&) {
                       std::vector<double> values(in[0].values.size());
                       for (std::size_t i = 0; i < values.size(); ++i) values[i] = f(in[0].values[i], in[1].values[i]);
                       return mean_of(values);
                     },
                 .over = loss_shapes(),
                 .tolerance = 2e-6,
                 .gradient_tolerance = 2e-5});
}

double log_of_sum(const RefTensor& logits, std::size_t row, std::size_t classes) {
  double sum = 0;
  for (std::size_t i = 0; i < classes; ++i) sum += std::exp(logits.values[row * classes + i]);
  return std::log(sum);
}

RefTensor cross_entropy_of(const RefTensors& in, const Case& c) {
  const auto classes = static_cast<std::size_t>(c.shape[1]);
  std::vector<double> losses(in[1].values.size());
  for (std::size_t row = 0; row < losses.size(); ++row)
    losses[row] = log_of_sum(in[0], row, classes) - in[0].values[row * classes + static_cast<std::size_t>(in[1].values[row])];
  return mean_of(losses);
}

RefTensor accuracy_of(const RefTensors& in, const Case& c) {
  const auto classes = static_cast<std::ptrdiff_t>(c.shape[1]);
  std::vector<double> hits;
  for (std::size_t row = 0; row < in[1].values.size(); ++row) {
    const auto first = in[0].values.begin() + static_cast<std::ptrdiff_t>(row) * classes;
    hits.push_back(std::max_element(first, first + classes) - first == static_cast<std::ptrdiff_t>(in[1].values[row]) ? 1 : 0);
  }
  return mean_of(hits);
}

std::vector<Case> class_shapes() {
  return {{.shape = {1, 1}}, {.shape = {4, 3}},   {.shape = {64, 10}}, {.shape = {5, 33}, .view = true},
          {.shape = {0, 3}}, {.shape = {3, 500}}, {.shape = {1100, 2}}};
}

template <class Function>
OpCases class_cases(const char* op, Function function, RefTensor (*reference)(const RefTensors&, const Case&), bool differentiable) {
  return {.op = op,
          .make =
              [=](Inputs& in, const Case& c) {
                const Tensor logits = in.uniform(c.shape, -3, 3);
                return function(logits, in.integers({c.shape[0]}, 0, static_cast<std::int32_t>(c.shape[1])));
              },
          .reference = reference,
          .over = class_shapes(),
          .gradient_tolerance = 2e-5,
          .differentiable = differentiable};
}

}  // namespace

void loss_cases(std::vector<OpCases>& all) {
  pair_cases(all, "mse_loss", mse_loss, -2, 2, [](double p, double t) { return (p - t) * (p - t); });
  // Kinks at a distance of 0 and 1 are kept away from: targets lie between 0.05 and 0.95.
  pair_cases(all, "l1_loss", l1_loss, 1, 2, [](double p, double t) { return std::abs(p - t); });
  pair_cases(all, "huber_loss", huber_loss, -3, 3, [](double p, double t) {
    const double distance = std::abs(p - t);
    return distance < 1 ? distance * distance / 2 : distance - 0.5;
  });
  pair_cases(all, "bce_loss", bce_loss, 0.02, 0.98, [](double p, double t) { return -t * std::log(p) - (1 - t) * std::log(1 - p); });
  pair_cases(all, "bce_with_logits", bce_with_logits, -6, 6,
             [](double p, double t) { return std::max(p, 0.0) - p * t + std::log1p(std::exp(-std::abs(p))); });
  all.push_back(class_cases("cross_entropy", cross_entropy, cross_entropy_of, true));
  all.push_back(class_cases("accuracy", accuracy, accuracy_of, false));
  all.push_back({.op = "confusion_matrix",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor pred = in.integers(c.shape, 0, 4);
                       return confusion_matrix(pred, in.integers(c.shape, 0, 4), 4);
                     },
                 .reference =
                     [](const RefTensors& in, const Case&) {
                       RefTensor counts = filled({4, 4}, 0);
                       for (std::size_t i = 0; i < in[0].values.size(); ++i)
                         counts.values[static_cast<std::size_t>(in[1].values[i] * 4 + in[0].values[i])] += 1;
                       return counts;
                     },
                 .over = {{.shape = {}}, {.shape = {0}}, {.shape = {300}}, {.shape = {33, 5}, .view = true}},
                 .tolerance = 0,
                 .differentiable = false});
}

}  // namespace tidepool::conformance
