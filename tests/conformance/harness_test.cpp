// The harness itself: each check is given something wrong and has to see it.
#include <cmath>

#include "conformance/checks.h"
#include "conformance/support.h"
#include "support/devices.h"

namespace tidepool::conformance {
namespace {

class Harness : public LibraryTest {
 protected:
  const Device cpu_ = device("cpu");
};

RefTensor doubled(const RefTensors& in, const Case&) {
  return map(in[0], [](double x) { return 2 * x; });
}

// x + x; the tests below break something about it.
OpCases doubling() {
  return {.op = "doubling",
          .make =
              [](Inputs& in, const Case& c) {
                const Tensor x = in.uniform(c.shape);
                return x + x;
              },
          .reference = doubled,
          .over = {{.shape = {5}}, {.shape = {300}}, {.shape = {300}, .view = true}}};
}

TEST_F(Harness, FindsNothingWrongWithWhatIsRight) {
  const OpCases cases = doubling();
  for (const Case& c : cases.over) {
    EXPECT_TRUE(values_agree(cases, c, cpu_));
    EXPECT_TRUE(gradients_agree(cases, c, cpu_));
    EXPECT_TRUE(is_deterministic(cases, c, cpu_));
    EXPECT_TRUE(captures(cases, c, cpu_));
  }
}

TEST_F(Harness, SeesAWrongValueInOneElement) {
  OpCases cases = doubling();
  cases.reference = [](const RefTensors& in, const Case& c) {
    RefTensor result = doubled(in, c);
    result.values.back() *= 1 + 3e-6;
    return result;
  };
  for (const Case& c : cases.over) EXPECT_FALSE(values_agree(cases, c, cpu_)) << describe(c);
}

TEST_F(Harness, SeesOtherBitsWhenTheToleranceIsZero) {
  OpCases cases = doubling();
  cases.tolerance = 0;
  cases.reference = [](const RefTensors& in, const Case&) { return map(in[0], [](double x) { return 2 * x * (1 + 2e-7); }); };
  EXPECT_FALSE(values_agree(cases, cases.over[0], cpu_));
  const OpCases zero{.op = "zero",
                     .make = [](Inputs& in, const Case& c) { return in.uniform(c.shape).clone(); },
                     .reference = [](const RefTensors& in, const Case&) { return map(in[0], [](double x) { return x == 0 ? 0 : x; }); },
                     .tolerance = 0};
  EXPECT_FALSE(values_agree(zero, {.shape = {special_count}, .values = Values::special}, cpu_)) << "-0 is not 0";
}

TEST_F(Harness, SeesNumbersWhereNaNOrInfinityBelongs) {
  OpCases cases = doubling();
  const Case special{.shape = {special_count}, .values = Values::special};
  EXPECT_TRUE(values_agree(cases, special, cpu_));
  for (const bool nan : {true, false}) {
    cases.reference = [nan](const RefTensors& in, const Case&) {
      return map(in[0], [nan](double x) { return (nan ? std::isnan(x) : std::isinf(x)) ? 7 : 2 * x; });
    };
    EXPECT_FALSE(values_agree(cases, special, cpu_));
  }
}

TEST_F(Harness, SeesAWrongShape) {
  OpCases cases = doubling();
  cases.reference = [](const RefTensors& in, const Case& c) { return reshaped(doubled(in, c), {c.shape.numel(), 1}); };
  EXPECT_FALSE(values_agree(cases, cases.over[0], cpu_));
}

TEST_F(Harness, SeesAMissingPartOfAGradient) {
  OpCases cases = doubling();
  cases.make = [](Inputs& in, const Case& c) {
    const Tensor x = in.uniform(c.shape);
    return x + x.detach();
  };
  for (const Case& c : cases.over) {
    EXPECT_TRUE(values_agree(cases, c, cpu_));
    EXPECT_FALSE(gradients_agree(cases, c, cpu_)) << describe(c);
  }
}

// Few of its elements are looked at one by one; the direction through all of them sees it.
TEST_F(Harness, SeesAWrongGradientInOneElementOfMany) {
  OpCases cases = doubling();
  cases.make = [](Inputs& in, const Case& c) {
    const Tensor x = in.uniform(c.shape), rest = x.detach();
    std::vector<float> mask(300, 1.0F);
    mask[151] = 0;
    const Tensor on = from_host(mask, {300}, x.device());
    return x * on + x + rest * (1.0F - on);
  };
  EXPECT_TRUE(values_agree(cases, cases.over[1], cpu_));
  EXPECT_FALSE(gradients_agree(cases, cases.over[1], cpu_));
}

TEST_F(Harness, SeesGradientsThatDifferBetweenBackends) {
  const OpCases cases = doubling();
  for (const Case& c : cases.over) {
    const Outcome right = run(cases, c, cpu_);
    Outcome wrong = right;
    EXPECT_TRUE(gradients_agree(cases, c, wrong, right));
    wrong.gradients[0].back() += 1e-3F;
    EXPECT_FALSE(gradients_agree(cases, c, wrong, right));
    wrong = right;
    wrong.gradient_shapes[0] = {c.shape.numel(), 1};
    EXPECT_FALSE(gradients_agree(cases, c, wrong, right));
  }
}

// Something that is different after the first time: by two bits in its value, or only in its gradient.
OpCases changing(bool gradient_only) {
  OpCases cases = doubling();
  cases.make = [gradient_only, turn = 0](Inputs& in, const Case& c) mutable {
    const Tensor x = in.uniform(c.shape);
    const float factor = turn++ == 0 ? 2.0F : 2.0000005F;
    const Tensor y = x * factor;
    return gradient_only ? y - y.detach() : y;
  };
  return cases;
}

TEST_F(Harness, SeesBitsThatChange) {
  for (const bool gradient_only : {false, true}) {
    const OpCases cases = changing(gradient_only);
    EXPECT_FALSE(is_deterministic(cases, cases.over[0], cpu_));
  }
}

TEST_F(Harness, SeesThatAPlanDoesSomethingElse) {
  for (const bool gradient_only : {false, true}) {
    const OpCases cases = changing(gradient_only);
    EXPECT_FALSE(captures(cases, cases.over[0], cpu_));
  }
}

TEST_F(Harness, SeesAnOperationWithoutCases) {
  EXPECT_EQ(operations_without_cases(all_cases()), std::vector<std::string>{});
  std::vector<OpCases> fewer = all_cases();
  std::erase_if(fewer, [](const OpCases& cases) { return cases.op == "relu" || cases.op == "sum"; });
  EXPECT_EQ(operations_without_cases(fewer), (std::vector<std::string>{"relu", "sum"}));
}

TEST_F(Harness, MarksWhatDoesNotWorkInTheTable) {
  OpCases cases = doubling();
  const auto support = [&] { return support_on("doubling", {cases}, cpu_); };
  EXPECT_TRUE(support().forward && support().backward);
  cases.make = [](Inputs& in, const Case& c) {
    const Tensor x = in.uniform(c.shape);
    return x + x.detach();
  };
  EXPECT_TRUE(support().forward && !support().backward);
  cases.make = [](Inputs& in, const Case& c) -> Tensor { return matmul(in.uniform(c.shape), in.uniform(c.shape)); };
  EXPECT_FALSE(support().forward || support().backward);
}

}  // namespace
}  // namespace tidepool::conformance
