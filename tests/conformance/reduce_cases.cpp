#include "conformance/cases.h"

#include <stdexcept>

namespace tidepool::conformance {

namespace {

constexpr std::int64_t more_than_a_million = 1'100'001;

// `reduce` in the form that the case asks for; lists of axes are initializer lists, so their lengths are spelled out.
template <class Reduce>
Tensor in_form(Reduce&& reduce, const Tensor& a, const Case& c) {
  const std::vector<std::int64_t>& axes = c.axes;
  switch (axes.size()) {
    case 0:
      return reduce(a);
    case 1:
      return c.keepdim ? reduce(a, axes[0], true) : reduce(a, axes[0]);
    case 2:
      return c.keepdim ? reduce(a, {axes[0], axes[1]}, true) : reduce(a, {axes[0], axes[1]});
    case 3:
      return reduce(a, {axes[0], axes[1], axes[2]}, c.keepdim);
    case 4:
      return reduce(a, {axes[0], axes[1], axes[2], axes[3]}, c.keepdim);
    default:
      throw std::logic_error("no case has so many axes");
  }
}

struct Sum {
  Tensor operator()(const Tensor& a) const { return sum(a); }
  Tensor operator()(const Tensor& a, std::int64_t axis) const { return sum(a, axis); }
  Tensor operator()(const Tensor& a, std::int64_t axis, bool keepdim) const { return sum(a, axis, keepdim); }
  Tensor operator()(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim = false) const { return sum(a, axes, keepdim); }
};
struct Mean {
  Tensor operator()(const Tensor& a) const { return mean(a); }
  Tensor operator()(const Tensor& a, std::int64_t axis) const { return mean(a, axis); }
  Tensor operator()(const Tensor& a, std::int64_t axis, bool keepdim) const { return mean(a, axis, keepdim); }
  Tensor operator()(const Tensor& a, std::initializer_list<std::int64_t> axes, bool keepdim = false) const {
    return mean(a, axes, keepdim);
  }
};

std::vector<Case> along_axes() {
  return {{.shape = {1}, .axes = {0}},
          {.shape = {5, 6, 7}, .axes = {0}},
          {.shape = {5, 6, 7}, .axes = {1}},
          {.shape = {5, 6, 7}, .axes = {2}, .keepdim = true},
          {.shape = {5, 6, 7}, .axes = {-1}},
          {.shape = {5, 6, 7}, .axes = {-2}, .keepdim = true},
          {.shape = {5, 6, 7}, .axes = {-3}},
          {.shape = {5, 6, 7}, .axes = {0, 2}},
          {.shape = {5, 6, 7}, .axes = {2, 0}, .keepdim = true},
          {.shape = {5, 6, 7}, .axes = {-1, -2}},
          {.shape = {5, 6, 7}, .axes = {0, 1, 2}, .keepdim = true},
          {.shape = {2, 1, 2, 3, 1, 2, 3, 2}, .axes = {0, 3, 5, 7}},
          {.shape = {2, 1, 2, 3, 1, 2, 3, 2}, .axes = {1, 2, -2, -4}, .keepdim = true},
          {.shape = {33, 9}, .axes = {0}, .view = true},
          {.shape = {33, 9}, .axes = {1}, .view = true},
          {.shape = {0, 3}, .axes = {0}},
          {.shape = {0, 3}, .axes = {1}},
          {.shape = {3, 0}, .axes = {1}, .keepdim = true},
          {.shape = {2, 0, 3}, .axes = {0, 2}}};
}

// Around 1024, where a sum is cut into parts, and around its square, where the parts are.
std::vector<Case> long_ones() {
  return {{.shape = {1023}},
          {.shape = {1024}},
          {.shape = {1025}},
          {.shape = {3, 2049}, .axes = {1}},
          {.shape = {1500, 3}, .axes = {0}},
          {.shape = {2, 1100, 9}, .axes = {1}, .keepdim = true},
          {.shape = {40, 50, 7}, .axes = {0, 1}},
          {.shape = {5000}, .view = true},
          {.shape = {more_than_a_million}},
          {.shape = {1024 * 1024 + 1, 2}, .axes = {0}}};
}

std::vector<Case> special_ones() {
  return {{.shape = {special_count}, .values = Values::special},
          {.shape = {special_count, 1}, .axes = {1}, .values = Values::special},
          {.shape = {special_count / 2, 2}, .axes = {1}, .values = Values::special}};
}

double summed_elements(const Case& c) {
  if (c.axes.empty()) return static_cast<double>(c.shape.numel());
  double count = 1;
  for (const std::int64_t axis : c.axes) count *= static_cast<double>(c.shape[axis]);
  return count;
}

std::vector<Case> reduce_shapes() { return with(with(with(plain_shapes(), along_axes()), long_ones()), special_ones()); }

}  // namespace

void reduce_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "sum",
                 .make = [](Inputs& in, const Case& c) { return in_form(Sum(), in.uniform(c.shape, -1, 2), c); },
                 .reference = [](const RefTensors& in, const Case& c) { return sum_axes(in[0], c.axes, c.keepdim); },
                 .over = reduce_shapes()});
  // Of nothing it is 0 / 0, which is NaN, as in PyTorch.
  all.push_back({.op = "mean",
                 .make = [](Inputs& in, const Case& c) { return in_form(Mean(), in.uniform(c.shape, -1, 2), c); },
                 .reference =
                     [](const RefTensors& in, const Case& c) {
                       const double count = summed_elements(c);
                       return map(sum_axes(in[0], c.axes, c.keepdim), [count](double x) { return x / count; });
                     },
                 .over = reduce_shapes()});
}

}  // namespace tidepool::conformance
