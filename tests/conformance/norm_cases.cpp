#include "conformance/cases.h"

#include <algorithm>
#include <cmath>

namespace tidepool::conformance {

namespace {

constexpr double running_mean = 0.25, running_var = 1.5, eps = 1e-5;

struct Moments {
  double mean, variance;  // divided by the number of elements
};
Moments moments(const std::vector<double>& values) {
  Moments m{0, 0};
  const auto count = static_cast<double>(values.size());
  for (const double x : values) m.mean += x / count;
  for (const double x : values) m.variance += (x - m.mean) * (x - m.mean) / count;
  return m;
}

double normal(double x, const Moments& m) { return (x - m.mean) / std::sqrt(m.variance + eps); }

// Which values are normalised together, and by which gamma and beta.
template <class Group, class Channel>
RefTensor normalised(const RefTensors& in, std::size_t groups, Group&& group, Channel&& channel, bool by_batch) {
  RefTensor y = in[0];
  std::vector<std::vector<double>> members(groups);
  for (std::size_t i = 0; i < y.values.size(); ++i) members[group(i)].push_back(y.values[i]);
  y.magnitudes.resize(y.values.size());
  std::vector<Moments> all(groups, Moments{running_mean, running_var});
  if (by_batch) std::ranges::transform(members, all.begin(), moments);
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    const Moments& m = all[group(i)];
    const double gamma = in[1].values[channel(i)], beta = in[2].values[channel(i)];
    y.values[i] = normal(y.values[i], m) * gamma + beta;
    y.magnitudes[i] = (std::abs(in[0].values[i]) + std::abs(m.mean)) / std::sqrt(m.variance + eps) * std::abs(gamma) + std::abs(beta);
  }
  return y;
}

Tensor make_batch_norm(Inputs& in, const Case& c, bool training) {
  const Shape channels{c.shape[1]};
  const Tensor x = in.uniform(c.shape, -1, 2), gamma = in.uniform(channels, 0.5, 2), beta = in.uniform(channels);
  const Tensor mean = full(channels, static_cast<float>(running_mean), {.device = x.device()});
  const Tensor var = full(channels, static_cast<float>(running_var), {.device = x.device()});
  return batch_norm(x, gamma, beta, mean, var, {.training = training});
}

RefTensor batch_norm_of(const RefTensors& in, const Case& c, bool training) {
  const auto channels = static_cast<std::size_t>(c.shape[1]);
  std::size_t inner = 1;
  for (std::int64_t axis = 2; axis < c.shape.rank(); ++axis) inner *= static_cast<std::size_t>(c.shape[axis]);
  const auto channel = [=](std::size_t i) { return i / inner % channels; };
  return normalised(in, channels, channel, channel, training);
}

std::vector<Case> batch_shapes() {
  return {{.shape = {4, 1}},
          {.shape = {5, 3}},
          {.shape = {9, 70}, .view = true},
          {.shape = {33, 8}},
          {.shape = {5, 3, 1, 1}},
          {.shape = {0, 3}},
          {.shape = {1, 2, 3, 5}},
          {.shape = {3, 5, 4, 7}, .view = true},
          {.shape = {2, 4, 8, 8}},
          {.shape = {4, 0}},
          {.shape = {1100, 3}},
          {.shape = {3000, 65}},
          {.shape = {2, 3, 100, 101}, .view = true}};
}

}  // namespace

void norm_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "batch_norm",
                 .make = [](Inputs& in, const Case& c) { return make_batch_norm(in, c, true); },
                 .reference = [](const RefTensors& in, const Case& c) { return batch_norm_of(in, c, true); },
                 .over = batch_shapes(),
                 .tolerance = 2e-6,
                 .gradient_tolerance = 5e-5});
  all.push_back({.op = "batch_norm",
                 .form = "by_running_statistics",
                 .make = [](Inputs& in, const Case& c) { return make_batch_norm(in, c, false); },
                 .reference = [](const RefTensors& in, const Case& c) { return batch_norm_of(in, c, false); },
                 .over = with(batch_shapes(), {{.shape = {1, 5}}}),
                 .gradient_tolerance = 3e-5});
  all.push_back({.op = "layer_norm",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor x = in.uniform(c.shape, -1, 2), gamma = in.uniform({c.shape[-1]}, 0.5, 2);
                       return layer_norm(x, gamma, in.uniform({c.shape[-1]}));
                     },
                 .reference =
                     [](const RefTensors& in, const Case& c) {
                       const auto size = static_cast<std::size_t>(c.shape[-1]);
                       return normalised(
                           in, in[0].values.size() / std::max<std::size_t>(size, 1), [=](std::size_t i) { return i / size; },
                           [=](std::size_t i) { return i % size; }, true);
                     },
                 .over = {{.shape = {3}},
                          {.shape = {5, 7}},
                          {.shape = {2, 3, 16}},
                          {.shape = {9, 33}, .view = true},
                          {.shape = {70, 10}},
                          {.shape = {300, 5}},
                          {.shape = {20, 1000}},
                          {.shape = {0, 4}},
                          {.shape = {4, 0}}},
                 .tolerance = 2e-6,
                 .gradient_tolerance = 1e-4});
}

}  // namespace tidepool::conformance
