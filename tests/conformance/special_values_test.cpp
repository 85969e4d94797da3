// NaN, infinities, huge numbers and denormals through every operation, also those whose own cases have none.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "conformance/backends.h"
#include "conformance/checks.h"

namespace tidepool::conformance {
namespace {

class SpecialValues : public BackendTest {};

// The first small case, with these values in place of random ones.
const Case* small_case(const OpCases& cases) {
  for (const Case& c : cases.over)
    if (c.values == Values::random && c.shape.numel() >= 2 && c.shape.numel() <= 200) return &c;
  return nullptr;
}

// Where the reference of the cases says something else than PyTorch does, or nothing.
bool is_left_out(const std::string& name, Values values) {
  static const std::map<std::string, const char*> never{
      {"clamp_upside_down", "its reference does not know NaN"},
      {"pow_scalar_of_5_tenths", "-infinity to the half is NaN, as its square root is"},
      {"to", "whole numbers end at the largest, and NaN is 0"},
      {"to_bytes", "likewise"},
      {"to_float", "by way of f16, which ends at 65504"},
      {"to_float_exactly", "by way of i32, which has neither infinity nor -0"},
  };
  if (values == Values::denormals && name == "norm") return true;  // their squares are 0
  if (name.find("halves") != std::string::npos) return true;       // by way of f16 too
  return never.contains(name);
}

TEST_P(SpecialValues, GoThroughEveryOperation) {
  const Using backend(*GetParam());
  int checked = 0;
  for (const OpCases& cases : all_cases()) {
    const Case* like = small_case(cases);
    if (!like) continue;
    for (const Values values : {Values::special, Values::denormals}) {
      Case c = *like;
      c.values = values;
      if (!applies(cases, c, backend.device()) || is_left_out(name_of(cases), values)) continue;
      EXPECT_TRUE(values_agree(cases, c, backend.device()));
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}

// The gradients of unary.def in double precision.
namespace in_double {
using std::abs, std::cos, std::erf, std::exp, std::log, std::log1p, std::sin, std::sqrt, std::tanh;
double select(bool condition, double a, double b) { return condition ? a : b; }
struct Unary {
  double (*value)(double x);
  double (*gradient)(double x, double y, double d);
};
#define UNARY(name, f, df) \
  {#name,                  \
   {[](double x) -> double { return f; }, []([[maybe_unused]] double x, [[maybe_unused]] double y, double d) -> double { return df; }}},
#define UNARY_WITH(name, f, df)  // numbers of their own, which only the cases know
const std::map<std::string, Unary>& unary() {
  static const std::map<std::string, Unary> all{
#include "ops/elementwise/unary.def"
  };
  return all;
}
}  // namespace in_double

class SpecialGradients : public SpecialValues {
 protected:
  static bool is_elementwise(const std::string& op) {
    static const std::map<std::string, bool> all{
#define UNARY(name, f, df) {#name, true},
#include "ops/elementwise/unary.def"
#define BINARY(name, f, dfx, dfy) {#name, true},
#include "ops/elementwise/binary.def"
    };
    return all.contains(op);
  }
  static std::vector<std::vector<float>> gradients(const OpCases& cases, const Case& c, const Device& on) {
    Inputs in(on, c, cases.kinks);
    const Tensor result = cases.make(in, c);
    result.backward(in.seed_like(result));
    std::vector<std::vector<float>> all;
    for (const Tensor& leaf : in.leaves()) all.push_back(leaf.grad().to_host<float>());
    return all;
  }
  static bool is_close(double got, double wanted) {
    if (std::isnan(wanted)) return std::isnan(got);
    constexpr double most = std::numeric_limits<float>::max();
    const bool same_infinity = std::isinf(got) && std::signbit(got) == std::signbit(wanted);
    if (std::abs(wanted) > most) return same_infinity;
    if (same_infinity && std::abs(wanted) > most / 4) return true;  // a step on the way may be too large
    // What is below the normal numbers may be 0.
    return std::abs(got - wanted) <= 2e-5 * std::abs(wanted) + double{std::numeric_limits<float>::min()};
  }
};

TEST_P(SpecialGradients, AreThoseOfTheCpu) {
  const Using backend(*GetParam());
  int checked = 0;
  for (const OpCases& cases : all_cases()) {
    if (!is_elementwise(cases.op) || !cases.differentiable) continue;
    for (const Values values : {Values::special, Values::denormals}) {
      const Case c{.shape = {special_count, 1}, .other = {1, special_count}, .values = values};
      const auto got = gradients(cases, c, backend.device()), wanted = gradients(cases, c, device("cpu"));
      ASSERT_EQ(got.size(), wanted.size());
      for (std::size_t input = 0; input < got.size(); ++input)
        for (std::size_t i = 0; i < got[input].size(); ++i)
          EXPECT_TRUE(is_close(got[input][i], wanted[input][i]))
              << name_of(cases) << ' ' << describe(c) << ": element " << i << " of the gradient of input " << input << " is "
              << got[input][i] << ", wanted " << wanted[input][i];
      ++checked;
    }
  }
  EXPECT_GT(checked, 50);
}

TEST_P(SpecialGradients, AreThoseOfTheDefinitionInDoublePrecision) {
  const Using backend(*GetParam());
  int checked = 0;
  for (const OpCases& cases : all_cases()) {
    const auto known = in_double::unary().find(cases.op);
    if (known == in_double::unary().end()) continue;
    const Case c{.shape = {special_count}, .values = Values::special};
    const std::vector<float> got = gradients(cases, c, backend.device())[0], seed = seed_values(got.size());
    Inputs in(device("cpu"), c, cases.kinks);
    cases.make(in, c);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double x = in.numbers()[0].values[i], wanted = known->second.gradient(x, known->second.value(x), double{seed[i]});
      EXPECT_TRUE(is_close(got[i], wanted)) << name_of(cases) << " at " << x << ": the gradient is " << got[i] << ", wanted " << wanted;
    }
    ++checked;
  }
  EXPECT_GT(checked, 10);
}

TEST_P(SpecialGradients, OfAbsAtNaNIsZeroAsPyTorchHasIt) {
  const Using backend(*GetParam());
  const Tensor x = full({3}, std::numeric_limits<float>::quiet_NaN(), {.device = backend.device()}).requires_grad();
  sum(abs(x)).backward();
  EXPECT_EQ(x.grad().to_host<float>(), std::vector<float>(3, 0.0F));
}

// relu, sigmoid and tanh within a product, whose gradients follow from the result.
TEST_P(SpecialGradients, OfFusedActivationsAreThoseOfTheActivations) {
  const Using backend(*GetParam());
  const std::map<Activation, Tensor (*)(const Tensor&)> all{
      {Activation::relu, relu}, {Activation::sigmoid, sigmoid}, {Activation::tanh, tanh}, {Activation::gelu, gelu}};
  const Case c{.shape = {special_count, 1}, .values = Values::special};
  for (const auto& [activation, function] : all) {
    Inputs in(backend.device(), c, {}), again(backend.device(), c, {});
    const Tensor x = in.uniform(c.shape), other = again.uniform(c.shape), one = ones({1, 1}, {.device = backend.device()});
    const Tensor fused = linear(x, one, {}, activation), alone = function(other);
    fused.backward(in.seed_like(fused));
    alone.backward(again.seed_like(alone));
    const std::vector<float> got = x.grad().to_host<float>(), wanted = other.grad().to_host<float>();
    const std::vector<float> values = fused.to_host<float>(), wanted_values = alone.to_host<float>();
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(is_close(values[i], wanted_values[i]) && is_close(got[i], wanted[i]))
          << "activation " << static_cast<int>(activation) << " at " << in.numbers()[0].values[i] << ": the gradient is " << got[i]
          << ", wanted " << wanted[i] << "; the value is " << values[i] << ", wanted " << wanted_values[i];
    }
  }
}
INSTANTIATE_TEST_SUITE_P(On, SpecialValues, testing::ValuesIn(backend_pointers()), [](const auto& info) { return info.param->name; });
INSTANTIATE_TEST_SUITE_P(On, SpecialGradients, testing::ValuesIn(backend_pointers()), [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace tidepool::conformance
