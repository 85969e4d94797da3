#include "conformance/reduce_forms.h"

namespace tidepool::conformance {

namespace {

constexpr std::int64_t more_than_a_million = 1'100'001;

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
          {.shape = {1024 * 1024 + 1, 2}, .axes = {0}},
          {.shape = {9, 1200}, .axes = {0}},
          {.shape = {1200, 70}, .axes = {0}, .view = true}};
}

std::vector<Case> reduce_shapes() { return with(with(with(plain_shapes(), along_axes()), long_ones()), special_ones()); }

}  // namespace

void reduce_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "sum",
                 .make = [](Inputs& in, const Case& c) { return in_form(TIDEPOOL_FORMS(sum), in.uniform(c.shape, -1, 2), c); },
                 .reference = [](const RefTensors& in, const Case& c) { return sum_axes(in[0], c.axes, c.keepdim); },
                 .over = reduce_shapes()});
  all.push_back({.op = "sum_i32",
                 .make = [](Inputs& in, const Case& c) { return in_form(TIDEPOOL_FORMS(sum), in.integers(c.shape, -9, 100), c); },
                 .reference = [](const RefTensors& in, const Case& c) { return sum_axes(in[0], c.axes, c.keepdim); },
                 .over = with(along_axes(), {{.shape = {}}, {.shape = {70000}, .view = true}, {.shape = {3000, 3}, .axes = {0}}}),
                 .tolerance = 0,
                 .differentiable = false});
  // Of nothing it is 0 / 0, which is NaN, as in PyTorch.
  all.push_back({.op = "mean",
                 .make = [](Inputs& in, const Case& c) { return in_form(TIDEPOOL_FORMS(mean), in.uniform(c.shape, -1, 2), c); },
                 .reference =
                     [](const RefTensors& in, const Case& c) {
                       const double count = reduced_elements(c);
                       return map(sum_axes(in[0], c.axes, c.keepdim), [count](double x) { return x / count; });
                     },
                 .over = reduce_shapes()});
}

}  // namespace tidepool::conformance
