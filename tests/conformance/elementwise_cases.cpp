#include "conformance/cases.h"

#include <cmath>

namespace tidepool::conformance {

namespace {

auto each(double (*f)(double)) {
  return [f](const RefTensors& in, const Case&) { return map(in[0], f); };
}
auto each(double (*f)(double, double)) {
  return [f](const RefTensors& in, const Case&) { return zip(in[0], in[1], f); };
}

std::vector<Case> unary_shapes() {
  return with(plain_shapes(),
              {{.shape = {special_count}, .values = Values::special}, {.shape = {denormal_count}, .values = Values::denormals}});
}

// Both inputs alike, then either side broadcast at the start, in the middle, at the end and everywhere.
std::vector<Case> binary_shapes() {
  std::vector<Case> cases = plain_shapes();
  for (Case& c : cases) c.other = c.shape;
  return with(cases, {{.shape = {5, 3}, .other = {3}},
                      {.shape = {3}, .other = {5, 3}},
                      {.shape = {5, 1}, .other = {1, 4}},
                      {.shape = {}, .other = {2, 3}},
                      {.shape = {2, 3}, .other = {}},
                      {.shape = {}, .other = {1, 1}},
                      {.shape = {2, 1, 4}, .other = {2, 3, 4}},
                      {.shape = {2, 3, 4}, .other = {3, 1}},
                      {.shape = {4, 1, 3}, .other = {2, 1}},
                      {.shape = {1}, .other = {1000}},
                      {.shape = {70000}, .other = {1}},
                      {.shape = {300, 250}, .other = {250}},
                      {.shape = {300, 1}, .other = {300, 250}},
                      {.shape = {7, 1, 65}, .other = {9, 1}, .view = true},
                      {.shape = {2000, 3}, .other = {1, 3}, .view = true},
                      {.shape = {2, 3, 1, 2, 1, 2, 1, 3}, .other = {1, 3, 2, 1, 2, 1, 2, 1}},
                      {.shape = {0}, .other = {1}},
                      {.shape = {1}, .other = {0}},
                      {.shape = {3, 1}, .other = {1, 0}},
                      {.shape = {special_count, 1}, .other = {special_count}, .values = Values::special},
                      {.shape = {denormal_count, 1}, .other = {denormal_count}, .values = Values::denormals}});
}

void unary_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "neg",
                 .make = [](Inputs& in, const Case& c) { return -in.uniform(c.shape); },
                 .reference = each([](double x) { return -x; }),
                 .over = unary_shapes(),
                 .tolerance = 0});
  all.push_back({.op = "square",
                 .make = [](Inputs& in, const Case& c) { return square(in.normal(c.shape)); },
                 .reference = each([](double x) { return x * x; }),
                 .over = unary_shapes()});
  all.push_back({.op = "sqrt",
                 .make = [](Inputs& in, const Case& c) { return sqrt(in.uniform(c.shape, 0.1, 4)); },
                 .reference = each([](double x) { return std::sqrt(x); }),
                 .over = unary_shapes()});
  all.push_back({.op = "exp",
                 .make = [](Inputs& in, const Case& c) { return exp(in.uniform(c.shape, -5, 5)); },
                 .reference = each([](double x) { return std::exp(x); }),
                 .over = unary_shapes(),
                 .tolerance = 2e-6});
  all.push_back({.op = "relu",
                 .make = [](Inputs& in, const Case& c) { return relu(in.uniform(c.shape)); },
                 .reference = each([](double x) { return x <= 0 ? 0 : x; }),  // so NaN stays NaN
                 .over = unary_shapes(),
                 .kinks = {0}});
  all.push_back({.op = "leaky_relu",
                 .make = [](Inputs& in, const Case& c) { return leaky_relu(in.uniform(c.shape), 0.1F); },
                 .reference = each([](double x) { return x > 0 ? x : double{0.1F} * x; }),
                 .over = unary_shapes(),
                 .kinks = {0}});
  all.push_back({.op = "sigmoid",
                 .make = [](Inputs& in, const Case& c) { return sigmoid(in.uniform(c.shape, -4, 4)); },
                 .reference = each([](double x) { return 1 / (1 + std::exp(-x)); }),
                 .over = unary_shapes(),
                 .tolerance = 2e-6});
  // Vulkan makes tanh of exponentials, so near 0 it is exact to a part of 1, not of the result.
  all.push_back({.op = "tanh",
                 .make = [](Inputs& in, const Case& c) { return tanh(in.uniform(c.shape, -2, 2)); },
                 .reference =
                     [](const RefTensors& in, const Case&) {
                       RefTensor result = map(in[0], [](double x) { return std::tanh(x); });
                       result.magnitudes.assign(result.values.size(), 1);
                       return result;
                     },
                 .over = unary_shapes(),
                 .tolerance = 5e-7});
}

void scalar_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "add_scalar",
                 .make = [](Inputs& in, const Case& c) { return in.uniform(c.shape) + 2.5F; },
                 .reference = each([](double x) { return x + 2.5; }),
                 .over = unary_shapes()});
  all.push_back({.op = "add_scalar",
                 .form = "on_the_left",
                 .make = [](Inputs& in, const Case& c) { return 2.5F + in.uniform(c.shape); },
                 .reference = each([](double x) { return x + 2.5; }),
                 .over = {{.shape = {65}}}});
  all.push_back({.op = "add_scalar",
                 .form = "taken_away",
                 .make = [](Inputs& in, const Case& c) { return in.uniform(c.shape) - 2.5F; },
                 .reference = each([](double x) { return x - 2.5; }),
                 .over = {{.shape = {65}}}});
  all.push_back({.op = "mul_scalar",
                 .make = [](Inputs& in, const Case& c) { return in.uniform(c.shape) * -1.7F; },
                 .reference = each([](double x) { return x * double{-1.7F}; }),
                 .over = unary_shapes()});
  all.push_back({.op = "mul_scalar",
                 .form = "on_the_left",
                 .make = [](Inputs& in, const Case& c) { return -1.7F * in.uniform(c.shape); },
                 .reference = each([](double x) { return x * double{-1.7F}; }),
                 .over = {{.shape = {65}}}});
  all.push_back({.op = "div_scalar",
                 .make = [](Inputs& in, const Case& c) { return in.uniform(c.shape) / 3.0F; },
                 .reference = each([](double x) { return x / 3; }),
                 .over = unary_shapes()});
  all.push_back({.op = "rsub_scalar",
                 .make = [](Inputs& in, const Case& c) { return 0.75F - in.uniform(c.shape); },
                 .reference = each([](double x) { return 0.75 - x; }),
                 .over = unary_shapes()});
  all.push_back({.op = "rdiv_scalar",
                 .make = [](Inputs& in, const Case& c) { return 3.0F / in.uniform(c.shape); },
                 .reference = each([](double x) { return 3 / x; }),
                 .over = unary_shapes(),
                 .kinks = {0}});
}

void binary_cases(std::vector<OpCases>& all) {
  const auto shapes = binary_shapes();
  all.push_back({.op = "add",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor a = in.uniform(c.shape);
                       return a + in.uniform(c.other);
                     },
                 .reference = each([](double x, double y) { return x + y; }),
                 .over = shapes});
  all.push_back({.op = "sub",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor a = in.uniform(c.shape);
                       return a - in.uniform(c.other);
                     },
                 .reference = each([](double x, double y) { return x - y; }),
                 .over = shapes});
  all.push_back({.op = "mul",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor a = in.uniform(c.shape);
                       return a * in.normal(c.other);
                     },
                 .reference = each([](double x, double y) { return x * y; }),
                 .over = shapes});
  all.push_back({.op = "div",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor a = in.uniform(c.shape);
                       return a / in.uniform(c.other, 0.4, 2);
                     },
                 .reference = each([](double x, double y) { return x / y; }),
                 .over = shapes});
}

}  // namespace

void elementwise_cases(std::vector<OpCases>& all) {
  unary_cases(all);
  scalar_cases(all);
  binary_cases(all);
}

}  // namespace tidepool::conformance
