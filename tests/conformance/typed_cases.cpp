#include "conformance/cases.h"

#include <cmath>
#include <limits>

namespace tidepool::conformance {

namespace {

std::vector<Case> shapes() {
  return {{.shape = {}, .other = {}},
          {.shape = {0}, .other = {0}},
          {.shape = {1000}, .other = {1000}},
          {.shape = {70001}, .other = {70001}, .view = true},
          {.shape = {5, 3}, .other = {3}},
          {.shape = {3}, .other = {5, 3}},
          {.shape = {2, 1, 4}, .other = {3, 1}, .view = true},
          {.shape = {7, 1, 65}, .other = {9, 1}}};
}

// No rounding, no gradients.
OpCases exact(OpCases cases) {
  cases.tolerance = 0;
  cases.differentiable = false;
  return cases;
}

using Compare = Tensor (*)(const Tensor&, const Tensor&);

// Whole numbers and such as no i32 or no u8 equals; a case's option says which.
constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
constexpr float numbers[] = {1,   -0.0F, 0.5F,          1.5F,           -0.5F, -1.5F, 254.5F,   255,       255.5F,
                             256, -1,    2147483648.0F, -2147483648.0F, 3e9F,  -3e9F, infinity, -infinity, nan};
float number_of(const Case& c) { return numbers[c.options[0]]; }
std::vector<Case> with_every_number() {
  std::vector<Case> all;
  for (std::size_t i = 0; i < std::size(numbers); ++i) all.push_back({.shape = {5, 8}, .options = {static_cast<std::int64_t>(i)}});
  return all;
}

template <class F>
auto zipped(F f) {
  return [f](const RefTensors& in, const Case&) { return zip(in[0], in[1], f); };
}

void compare_cases(std::vector<OpCases>& all, const char* op, Compare compare, Tensor (*with_number)(const Tensor&, float),
                   bool (*holds)(double, double)) {
  const auto reference = zipped([holds](double x, double y) { return holds(x, y) ? 1.0 : 0.0; });
  all.push_back(exact({.op = op,
                       .make =
                           [compare](Inputs& in, const Case& c) {
                             const Tensor a = in.uniform(c.shape);
                             return compare(a, in.uniform(c.other));
                           },
                       .reference = reference,
                       .over = with(shapes(), {{.shape = {special_count, 1}, .other = {special_count}, .values = Values::special}})}));
  all.push_back(exact({.op = op,
                       .form = "of_integers",
                       .make =
                           [compare](Inputs& in, const Case& c) {
                             const Tensor a = in.integers(c.shape, -2, 3);
                             return compare(a, in.integers(c.other, -2, 3));
                           },
                       .reference = reference,
                       .over = shapes()}));
  all.push_back(exact({.op = op,
                       .form = "of_bytes",
                       .make =
                           [compare](Inputs& in, const Case& c) {
                             const Tensor a = in.bytes(c.shape, 120, 140);
                             return compare(a, in.bytes(c.other, 120, 140));
                           },
                       .reference = reference,
                       .over = shapes()}));
  const auto with_a_number = [&](const char* form, auto&& input) {
    all.push_back(exact({.op = op,
                         .form = form,
                         .make = [with_number, input](Inputs& in, const Case& c) { return with_number(input(in, c), number_of(c)); },
                         .reference =
                             [holds](const RefTensors& in, const Case& c) {
                               return map(in[0], [holds, y = number_of(c)](double x) { return holds(x, y) ? 1.0 : 0.0; });
                             },
                         .over = with_every_number()}));
  };
  with_a_number("with_a_number", [](Inputs& in, const Case& c) { return in.uniform(c.shape, -2, 2); });
  with_a_number("of_integers_with_a_number", [](Inputs& in, const Case& c) { return in.integers(c.shape, -2, 3); });
  with_a_number("of_small_bytes_with_a_number", [](Inputs& in, const Case& c) { return in.bytes(c.shape, 0, 3); });
  with_a_number("of_large_bytes_with_a_number", [](Inputs& in, const Case& c) { return in.bytes(c.shape, 253, 256); });
}

void integer_cases(std::vector<OpCases>& all, const char* op, Compare f, double (*reference)(double, double)) {
  all.push_back(exact({.op = op,
                       .make =
                           [f](Inputs& in, const Case& c) {
                             const Tensor a = in.integers(c.shape, -900, 900);
                             return f(a, in.integers(c.other, -900, 900));
                           },
                       .reference = zipped(reference),
                       .over = shapes()}));
}

void one_integer_cases(std::vector<OpCases>& all, const char* op, const char* form, Tensor (*f)(const Tensor&),
                       double (*reference)(double)) {
  all.push_back(exact({.op = op,
                       .form = form,
                       .make = [f](Inputs& in, const Case& c) { return f(in.integers(c.shape, -900, 900)); },
                       .reference = [reference](const RefTensors& in, const Case&) { return map(in[0], reference); },
                       .over = {{.shape = {3, 4}}, {.shape = {}}}}));
}

RefTensor chosen(const RefTensors& in, const Case&) {
  const Shape shape = broadcast_of(broadcast_of(in[0].shape, in[1].shape), in[2].shape);
  const RefTensor condition = broadcast(in[0], shape), a = broadcast(in[1], shape), b = broadcast(in[2], shape);
  RefTensor result = a;
  for (std::size_t i = 0; i < result.values.size(); ++i)
    if (condition.values[i] == 0) result.values[i] = b.values[i];
  return result;
}

void where_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "where",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor condition = in.bytes(c.shape, 0, 2), a = in.uniform(c.other);
                       return where(condition, a, in.uniform(c.shape));
                     },
                 .reference = chosen,
                 .over = shapes(),
                 .tolerance = 0});
  all.push_back({.op = "where",
                 .form = "of_halves",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor condition = in.bytes(c.shape, 0, 2), a = in.uniform(c.other, 0.1, 1).to(DType::f16);
                       return where(condition, a, in.uniform(c.shape, 0.1, 1).to(DType::f16)).to(DType::f32);
                     },
                 .reference = chosen,
                 .over = shapes(),
                 .tolerance = 5e-4,
                 .gradient_tolerance = 1e-3});
  all.push_back(exact({.op = "where",
                       .form = "of_integers",
                       .make =
                           [](Inputs& in, const Case& c) {
                             const Tensor condition = in.bytes(c.shape, 0, 3), a = in.integers(c.other, 0, 9);
                             return where(condition, a, in.integers({}, 0, 9));
                           },
                       .reference = chosen,
                       .over = shapes()}));
}

double half_of(double x) {  // to eleven bits
  if (x == 0) return 0;
  const double unit = std::ldexp(1, std::max(std::ilogb(x) - 10, -24));
  return std::nearbyint(x / unit) * unit;
}

void cast_cases(std::vector<OpCases>& all) {
  const std::vector<Case> over{{.shape = {}}, {.shape = {0, 2}}, {.shape = {9}, .view = true}, {.shape = {70001}}};
  const auto through = [](DType type) { return [type](Inputs& in, const Case& c) { return in.uniform(c.shape, -99, 300).to(type); }; };
  const auto same = [](const RefTensors& in, const Case&) { return in[0]; };
  all.push_back({.op = "to_float",
                 .make = [](Inputs& in, const Case& c) { return in.uniform(c.shape, 0.1, 1).to(DType::f16).to(DType::f32); },
                 .reference = same,
                 .over = over,
                 .tolerance = 5e-4,
                 .gradient_tolerance = 1e-3});
  all.push_back(exact({.op = "to_float",
                       .form = "exactly",
                       .make = [](Inputs& in, const Case& c) { return in.uniform(c.shape, -1e-4, 1e-4).to(DType::f16); },
                       .reference = [](const RefTensors& in, const Case&) { return map(in[0], half_of); },
                       .over = over}));
  all.push_back(
      exact({.op = "to",
             .make = through(DType::i32),
             .reference = [](const RefTensors& in, const Case&) { return map(in[0], [](double x) { return std::trunc(x) + 0.0; }); },
             .over = over}));
  all.push_back(
      exact({.op = "to",
             .form = "bytes",
             .make = through(DType::u8),
             .reference = [](const RefTensors& in,
                             const Case&) { return map(in[0], [](double x) { return static_cast<double>(static_cast<int>(x) & 255); }); },
             .over = over}));
  for (const DType type : {DType::f32, DType::i32, DType::f16})
    all.push_back(exact({.op = "to",
                         .form = "from_bytes_to_" + std::string(name_of(type)),
                         .make = [type](Inputs& in, const Case& c) { return in.bytes(c.shape, 0, 256).to(type); },
                         .reference = same,
                         .over = over}));
}

}  // namespace

void typed_cases(std::vector<OpCases>& all) {
  compare_cases(all, "eq", eq, eq, [](double x, double y) { return x == y; });
  compare_cases(all, "ne", ne, ne, [](double x, double y) { return x != y; });
  compare_cases(all, "lt", lt, lt, [](double x, double y) { return x < y; });
  compare_cases(all, "le", le, le, [](double x, double y) { return x <= y; });
  compare_cases(all, "gt", gt, gt, [](double x, double y) { return x > y; });
  compare_cases(all, "ge", ge, ge, [](double x, double y) { return x >= y; });
  integer_cases(all, "add_i32", add, [](double x, double y) { return x + y; });
  integer_cases(all, "sub_i32", sub, [](double x, double y) { return x - y + 0.0; });
  integer_cases(all, "mul_i32", mul, [](double x, double y) { return x * y + 0.0; });
  integer_cases(all, "div_i32", div, [](double x, double y) { return static_cast<double>(static_cast<float>(x) / static_cast<float>(y)); });
  integer_cases(all, "maximum_i32", maximum, [](double x, double y) { return std::max(x, y); });
  integer_cases(all, "minimum_i32", minimum, [](double x, double y) { return std::min(x, y); });
  one_integer_cases(all, "neg_i32", "", neg, [](double x) { return -x + 0.0; });
  one_integer_cases(all, "abs_i32", "", abs, [](double x) { return std::abs(x); });
  one_integer_cases(all, "relu_i32", "", relu, [](double x) { return std::max(x, 0.0); });
  one_integer_cases(all, "square_i32", "", square, [](double x) { return x * x; });
  one_integer_cases(
      all, "sub_i32", "numbers", [](const Tensor& a) { return (2.0F - a) * 3.0F + 1.0F; }, [](double x) { return (2 - x) * 3 + 1; });
  where_cases(all);
  cast_cases(all);
}

}  // namespace tidepool::conformance
