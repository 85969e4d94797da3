#include "conformance/cases.h"

#include <algorithm>
#include <cmath>

namespace tidepool::conformance {

namespace {

RefTensor log_softmax_of(const RefTensor& x, std::int64_t axis) {
  const std::int64_t rank = x.shape.rank(), at = axis < 0 ? axis + std::max<std::int64_t>(rank, 1) : axis;
  std::size_t outer = 1, middle = 1, inner = 1;
  for (std::int64_t i = 0; i < rank; ++i) (i < at ? outer : i == at ? middle : inner) *= static_cast<std::size_t>(x.shape[i]);
  RefTensor y = x;
  y.magnitudes.resize(y.values.size());
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      const auto place = [&](std::size_t m) { return (o * middle + m) * inner + i; };
      double largest = middle > 0 ? x.values[place(0)] : 0, sum = 0;
      for (std::size_t m = 0; m < middle; ++m)
        largest = std::isnan(x.values[place(m)]) ? x.values[place(m)] : std::max(largest, x.values[place(m)]);
      for (std::size_t m = 0; m < middle; ++m) sum += std::exp(x.values[place(m)] - largest);
      for (std::size_t m = 0; m < middle; ++m) {
        y.values[place(m)] = x.values[place(m)] - largest - std::log(sum);
        y.magnitudes[place(m)] = std::abs(x.values[place(m)]) + std::abs(largest) + std::abs(std::log(sum)) + 1;
      }
    }
  return y;
}

std::vector<Case> softmax_shapes() {
  return {{.shape = {}, .axes = {0}},
          {.shape = {1}, .axes = {0}},
          {.shape = {10}, .axes = {-1}},
          {.shape = {7, 10}, .axes = {1}},
          {.shape = {7, 10}, .axes = {0}},
          {.shape = {9, 33}, .axes = {1}, .view = true},
          {.shape = {33, 9}, .axes = {0}, .view = true},
          {.shape = {5, 6, 7}, .axes = {-2}},
          {.shape = {2, 3, 300}, .axes = {1}},
          {.shape = {3, 1000}, .axes = {-1}},
          {.shape = {0, 3}, .axes = {1}},
          {.shape = {3, 0}, .axes = {1}},
          {.shape = {2, 1, 2, 3, 1, 2, 3, 2}, .axes = {3}},
          {.shape = {special_count}, .axes = {0}, .values = Values::special},
          {.shape = {special_count, 1}, .axes = {1}, .values = Values::special},
          {.shape = {special_count / 2, 2}, .axes = {1}, .values = Values::special},
          {.shape = {2, special_count / 2}, .axes = {0}, .values = Values::special}};
}

}  // namespace

void softmax_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "softmax",
                 .make = [](Inputs& in, const Case& c) { return softmax(in.uniform(c.shape, -4, 4), c.axes[0]); },
                 .reference =
                     [](const RefTensors& in, const Case& c) {
                       RefTensor y = log_softmax_of(in[0], c.axes[0]);
                       y.magnitudes.clear();
                       return map(y, [](double x) { return std::exp(x); });
                     },
                 .over = softmax_shapes(),
                 .tolerance = 2e-6});
  all.push_back({.op = "log_softmax",
                 .make = [](Inputs& in, const Case& c) { return log_softmax(in.uniform(c.shape, -4, 4), c.axes[0]); },
                 .reference = [](const RefTensors& in, const Case& c) { return log_softmax_of(in[0], c.axes[0]); },
                 .over = softmax_shapes()});
}

}  // namespace tidepool::conformance
