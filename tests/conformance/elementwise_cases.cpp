#include "conformance/cases.h"

#include <algorithm>
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

// Near a zero of the function, errors are measured against 1.
auto each_of_one(double (*f)(double)) {
  return [f](const RefTensors& in, const Case&) {
    RefTensor result = map(in[0], f);
    for (const double value : result.values) result.magnitudes.push_back(std::max(1.0, std::abs(value)));
    return result;
  };
}

double gelu_of(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double softplus_of(double x) { return x > 20 ? x : std::log1p(std::exp(x)); }

void more_unary_cases(std::vector<OpCases>& all) {
  const auto plain = plain_shapes();
  const std::vector<Case> specials = {{.shape = {special_count}, .values = Values::special},
                                      {.shape = {denormal_count}, .values = Values::denormals}};
  all.push_back({.op = "abs",
                 .make = [](Inputs& in, const Case& c) { return abs(in.uniform(c.shape)); },
                 .reference = each([](double x) { return std::abs(x); }),
                 .over = unary_shapes(),
                 .kinks = {0},
                 .tolerance = 0});
  all.push_back({.op = "log",
                 .make = [](Inputs& in, const Case& c) { return log(in.uniform(c.shape, 0.2, 9)); },
                 .reference = each_of_one([](double x) { return std::log(x); }),
                 .over = with(plain, {{.shape = {special_count}, .values = Values::special}})});
  all.push_back({.op = "sin",
                 .make = [](Inputs& in, const Case& c) { return sin(in.uniform(c.shape, -6, 6)); },
                 .reference = each_of_one([](double x) { return std::sin(x); }),
                 .over = plain});
  all.push_back({.op = "cos",
                 .make = [](Inputs& in, const Case& c) { return cos(in.uniform(c.shape, -6, 6)); },
                 .reference = each_of_one([](double x) { return std::cos(x); }),
                 .over = plain});
  all.push_back({.op = "silu",
                 .make = [](Inputs& in, const Case& c) { return silu(in.uniform(c.shape, -4, 4)); },
                 .reference = each_of_one([](double x) { return x / (1 + std::exp(-x)); }),
                 .over = with(plain, {{.shape = {special_count}, .values = Values::special}})});
  all.push_back({.op = "softsign",
                 .make = [](Inputs& in, const Case& c) { return softsign(in.uniform(c.shape, -3, 3)); },
                 .reference = each([](double x) { return x / (1 + std::abs(x)); }),
                 .over = unary_shapes(),
                 .kinks = {0}});
  all.push_back({.op = "gelu",
                 .make = [](Inputs& in, const Case& c) { return gelu(in.uniform(c.shape, -3, 4)); },
                 .reference = each_of_one(gelu_of),
                 .over = plain,
                 .gradient_tolerance = 5e-5});
  all.push_back({.op = "softplus",
                 .make = [](Inputs& in, const Case& c) { return softplus(in.uniform(c.shape, -8, 24)); },
                 .reference = each_of_one(softplus_of),
                 .over = with(plain, {{.shape = {special_count}, .values = Values::special}}),
                 .kinks = {20},
                 .tolerance = 3e-6});
  all.push_back({.op = "clamp",
                 .make = [](Inputs& in, const Case& c) { return clamp(in.uniform(c.shape), -0.5F, 0.25F); },
                 .reference = each([](double x) { return x < -0.5   ? -0.5
                                                         : x > 0.25 ? 0.25
                                                                    : x; }),
                 .over = unary_shapes(),
                 .kinks = {-0.5, 0.25}});
  all.push_back({.op = "clamp",
                 .form = "upside_down",
                 .make = [](Inputs& in, const Case& c) { return clamp(in.uniform(c.shape), 0.5F, -0.25F); },
                 .reference = each([](double) { return -0.25; }),
                 .over = {{.shape = {9}}}});
  all.push_back({.op = "pow_scalar",
                 .make = [](Inputs& in, const Case& c) { return pow(in.uniform(c.shape, -2, 2), 3.0F); },
                 .reference = each_of_one([](double x) { return std::pow(x, 3); }),
                 .over = plain,
                 .kinks = {0},
                 .tolerance = 4e-6});
  all.push_back({.op = "pow_scalar",
                 .form = "of_a_fraction",
                 .make = [](Inputs& in, const Case& c) { return pow(in.uniform(c.shape, 0.1, 3), -1.7F); },
                 .reference = each([](double x) { return std::pow(x, double{-1.7F}); }),
                 .over = plain,
                 .tolerance = 4e-6,
                 .gradient_tolerance = 3e-5});
  for (const float exponent : {0.0F, 0.5F, 1.0F, 2.0F, -1.0F, 4.0F})
    all.push_back(
        {.op = "pow_scalar",
         .form = "of_" + std::string(exponent < 0 ? "minus_" : "") + std::to_string(std::abs(static_cast<int>(exponent * 10))) + "_tenths",
         .make = [exponent](Inputs& in, const Case& c) { return pow(in.uniform(c.shape, 0.5, 2), exponent); },
         .reference = [exponent](
                          const RefTensors& in,
                          const Case&) { return map(in[0], [exponent](double x) { return std::pow(x, static_cast<double>(exponent)); }); },
         .over = {{.shape = {33}}},
         .tolerance = 4e-6});
  const auto of_specials = [&](const char* op, Tensor (*f)(const Tensor&), double (*reference)(double)) {
    all.push_back({.op = op,
                   .form = "of_special_values",
                   .make = [f](Inputs& in, const Case& c) { return f(in.uniform(c.shape)); },
                   .reference = each_of_one(reference),
                   .over = specials});
  };
  of_specials("sin", sin, [](double x) { return std::sin(x); });
  of_specials("cos", cos, [](double x) { return std::cos(x); });
  of_specials("gelu", gelu, gelu_of);
  of_specials("log", log, [](double x) { return std::log(x); });
  of_specials(
      "pow_scalar", [](const Tensor& a) { return pow(a, 3.0F); }, [](double x) { return std::pow(x, 3.0); });
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
  all.push_back({.op = "maximum",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor a = in.uniform(c.shape);
                       return maximum(a, in.uniform(c.other));
                     },
                 .reference = each([](double x, double y) { return std::isnan(x) || x > y ? x : y; }),
                 .over = shapes});
  all.push_back({.op = "minimum",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor a = in.uniform(c.shape);
                       return minimum(a, in.uniform(c.other));
                     },
                 .reference = each([](double x, double y) { return std::isnan(x) || x < y ? x : y; }),
                 .over = shapes});
}

}  // namespace

void elementwise_cases(std::vector<OpCases>& all) {
  unary_cases(all);
  more_unary_cases(all);
  scalar_cases(all);
  binary_cases(all);
}

}  // namespace tidepool::conformance
