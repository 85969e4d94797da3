#include "conformance/cases.h"
#include "ops/pool/pool.h"

#include <cmath>

namespace tidepool::conformance {

namespace {

PoolOptions options_of(const Case& c) { return {.kernel = c.options[0], .stride = c.options[1], .padding = c.options[2]}; }

// fold(sum so far, element), then finish(sum), over the windows as their definition has them.
template <class Fold, class Finish>
RefTensor pooled(const RefTensor& x, const Case& c, double start, Fold&& fold, Finish&& finish) {
  const PoolOptions o = options_of(c);
  const std::int64_t stride = o.stride == 0 ? o.kernel : o.stride, h = x.shape[2], w = x.shape[3];
  const std::int64_t oh = (h + 2 * o.padding - o.kernel) / stride + 1, ow = (w + 2 * o.padding - o.kernel) / stride + 1;
  RefTensor y{.shape = {x.shape[0], x.shape[1], oh, ow}};
  for (std::int64_t plane = 0; plane < x.shape[0] * x.shape[1]; ++plane)
    for (std::int64_t i = 0; i < oh * ow; ++i) {
      double value = start;
      for (std::int64_t k = 0; k < o.kernel * o.kernel; ++k) {
        const std::int64_t row = i / ow * stride - o.padding + k / o.kernel, column = i % ow * stride - o.padding + k % o.kernel;
        if (row >= 0 && row < h && column >= 0 && column < w)
          value = fold(value, x.values[static_cast<std::size_t>((plane * h + row) * w + column)]);
      }
      y.values.push_back(finish(value));
    }
  return y;
}

RefTensor largest(const RefTensor& x, const Case& c) {
  return pooled(
      x, c, -HUGE_VAL, [](double a, double b) { return b > a || std::isnan(b) ? b : a; }, [](double a) { return a; });
}

RefTensor average(const RefTensor& x, const Case& c) {
  const auto count = static_cast<double>(c.options[0] * c.options[0]);
  const auto mean = [&](const RefTensor& of) {
    return pooled(
        of, c, 0, [](double a, double b) { return a + b; }, [&](double a) { return a / count; });
  };
  RefTensor y = mean(x);
  y.magnitudes = mean(map(x, [](double value) { return std::abs(value); })).values;
  return y;
}

std::vector<Case> windows() {
  return {{.shape = {1, 1, 2, 2}, .options = {2, 0, 0}},
          {.shape = {2, 3, 4, 6}, .options = {2, 2, 0}},
          {.shape = {1, 2, 6, 16}, .options = {2, 0, 0}},
          {.shape = {2, 2, 5, 39}, .options = {2, 2, 0}},
          {.shape = {1, 3, 5, 7}, .options = {3, 1, 1}},
          {.shape = {2, 1, 9, 8}, .options = {3, 2, 1}},
          {.shape = {1, 2, 7, 5}, .options = {2, 3, 1}},
          {.shape = {1, 1, 4, 9}, .options = {1, 1, 0}},
          {.shape = {1, 2, 3, 3}, .options = {3, 0, 0}},
          {.shape = {1, 1, 1, 1}, .options = {2, 1, 1}},
          {.shape = {3, 1, 6, 5}, .options = {5, 4, 2}},
          {.shape = {1, 1, 4, 35}, .options = {2, 2, 0}, .view = true},
          {.shape = {2, 2, 5, 7}, .options = {3, 2, 1}, .view = true},
          {.shape = {5, 8, 28, 28}, .options = {2, 2, 0}},
          {.shape = {0, 3, 4, 4}, .options = {2, 2, 0}},
          {.shape = {2, 0, 4, 4}, .options = {3, 1, 1}}};
}

std::vector<Case> special_windows() {
  return {{.shape = {1, 1, 2, 7}, .options = {2, 1, 1}, .values = Values::special},
          {.shape = {1, 1, 2, special_count}, .options = {2, 2, 0}, .values = Values::special},
          {.shape = {2, 1, 4, 35}, .options = {2, 2, 0}, .values = Values::special},
          {.shape = {1, 1, 2, special_count}, .options = {1, 1, 0}, .values = Values::special}};
}

}  // namespace

void pool_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "max_pool2d",
                 .make = [](Inputs& in, const Case& c) { return max_pool2d(in.uniform(c.shape), options_of(c)); },
                 .reference = [](const RefTensors& in, const Case& c) { return largest(in[0], c); },
                 .over = with(windows(), special_windows()),
                 .tolerance = 0});
  all.push_back(
      {.op = "max_pool2d",
       .form = "relu",
       .make = [](Inputs& in, const Case& c) { return max_pool2d_relu(in.uniform(c.shape), options_of(c)); },
       .reference = [](const RefTensors& in, const Case& c) { return map(largest(in[0], c), [](double x) { return x <= 0 ? 0 : x; }); },
       .over = with(windows(), special_windows()),
       .tolerance = 0});
  all.push_back({.op = "avg_pool2d",
                 .make = [](Inputs& in, const Case& c) { return avg_pool2d(in.uniform(c.shape), options_of(c)); },
                 .reference = [](const RefTensors& in, const Case& c) { return average(in[0], c); },
                 .over = windows()});
  all.push_back(
      {.op = "global_avg_pool2d",
       .make = [](Inputs& in, const Case& c) { return global_avg_pool2d(in.uniform(c.shape)); },
       .reference =
           [](const RefTensors& in, const Case& c) {
             const double count = static_cast<double>(c.shape[2] * c.shape[3]);
             return map(sum_axes(in[0], {2, 3}, true), [count](double x) { return x / count; });
           },
       .over = {{.shape = {1, 1, 1, 1}}, {.shape = {2, 3, 5, 7}}, {.shape = {2, 3, 4, 4}, .view = true}, {.shape = {0, 2, 3, 3}}}});
}

}  // namespace tidepool::conformance
