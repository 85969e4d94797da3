// Functions of any float, against the C library in double precision.
#include <cmath>
#include <limits>
#include <random>

#include "conformance/backends.h"

namespace tidepool::conformance {
namespace {

class Accuracy : public BackendTest {
 protected:
  static constexpr std::size_t count = 100'000;
  static constexpr double unit = 0x1p-23;  // from 1 to the next float

  // All magnitudes alike, from 2^low to 2^high.
  static std::vector<float> of_all_sizes(int low, int high) {
    std::mt19937 random(21);
    std::uniform_real_distribution<double> exponent(low, high);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(std::exp2(exponent(random)));
    return values;
  }

  // The largest error in units of the result's last place, or of the last place of `least` where the result is smaller.
  static double largest_error(const std::vector<float>& x, const Tensor& result, double (*wanted)(double), double least) {
    const std::vector<float> got = result.to_host<float>();
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double value = wanted(static_cast<double>(x[i])), size = std::max(std::abs(value), least);
      largest = std::max(largest, std::abs(static_cast<double>(got[i]) - value) / (size * unit));
    }
    return largest;
  }
  static Tensor on(const Device& device, const std::vector<float>& values) {
    return from_host(values, {static_cast<std::int64_t>(values.size())}, device);
  }
};

TEST_P(Accuracy, OfLogarithmsIsThatOfTheResult) {
  const Using use(*GetParam());
  const std::vector<float> x = of_all_sizes(-126, 127), near_one = of_all_sizes(-1, 1);
  EXPECT_LT(largest_error(x, log(on(use.device(), x)), std::log, 1e-30), 2.5);
  EXPECT_LT(largest_error(near_one, log(on(use.device(), near_one)), std::log, 1e-30), 4);
}

TEST_P(Accuracy, OfSinesAndCosinesIsTheSameForLargeArguments) {
  const Using use(*GetParam());
  for (const int high : {3, 15, 127}) {
    std::vector<float> x = of_all_sizes(-20, high);
    for (std::size_t i = 0; i < x.size(); i += 2) x[i] = -x[i];
    EXPECT_LT(largest_error(x, sin(on(use.device(), x)), std::sin, 1), 2.5) << high;
    EXPECT_LT(largest_error(x, cos(on(use.device(), x)), std::cos, 1), 2.5) << high;
  }
}

// Vulkan makes tanh of exponentials, so there errors near 0 are measured against 1.
TEST_P(Accuracy, OfHyperbolicTangentsIsThatOfTheResult) {
  const Using use(*GetParam());
  std::vector<float> x = of_all_sizes(-126, 127);
  const std::vector<float> usual = of_all_sizes(-4, 4);
  x.insert(x.end(), usual.begin(), usual.end());
  for (std::size_t i = 0; i < x.size(); i += 2) x[i] = -x[i];
  const Tensor result = tanh(on(use.device(), x));
  EXPECT_LT(largest_error(x, result, std::tanh, use.device().id() == "cpu" ? 1e-45 : 1), 4);
  for (const float value : result.to_host<float>()) ASSERT_LE(std::abs(value), 1.0F);
}

TEST_P(Accuracy, OfPowersIsThatOfTheResultForLargeExponents) {
  const Using use(*GetParam());
  const std::vector<float> x = of_all_sizes(-3, 3);
  const Tensor base = on(use.device(), x);
  EXPECT_LT(largest_error(
                x, pow(base, 3), [](double a) { return std::pow(a, 3); }, 1e-30),
            3);
  EXPECT_LT(largest_error(
                x, pow(base, -0.37F), [](double a) { return std::pow(a, double{-0.37F}); }, 1e-30),
            3);
  EXPECT_LT(largest_error(
                x, pow(base, 11.3F), [](double a) { return std::pow(a, double{11.3F}); }, 1e-30),
            4);
  EXPECT_LT(largest_error(
                x, pow(base, -40), [](double a) { return std::pow(a, -40); }, 1e-30),
            6);
}

TEST_P(Accuracy, OfPowersIncludesWhatCSaysOfZerosSignsAndInfinities) {
  const Using use(*GetParam());
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x{0.0F, -0.0F, 1.0F, -1.0F, 0.5F, -0.5F, 2.0F, -2.0F, infinity, -infinity, NAN, 1e30F, -1e-30F};
  const Tensor base = on(use.device(), x);
  for (const float exponent : {0.0F, 1.0F, -1.0F, 2.0F, -2.0F, 3.0F, -3.0F, 0.75F, -0.5F, 2.5F, infinity, -infinity, NAN, 16777217.0F}) {
    const std::vector<float> got = pow(base, exponent).to_host<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float wanted = std::pow(x[i], exponent);
      SCOPED_TRACE(testing::Message() << x[i] << " to the " << exponent << " is " << got[i]);
      if (std::isnan(wanted)) {
        EXPECT_TRUE(std::isnan(got[i]));
      } else {
        EXPECT_FLOAT_EQ(got[i], wanted);
        EXPECT_EQ(std::signbit(got[i]), std::signbit(wanted));
      }
    }
  }
}

TEST_P(Accuracy, OfTheGradientOfAQuotientIsThatOfTheResult) {
  const Using use(*GetParam());
  const std::vector<float> y = of_all_sizes(-120, 120);  // whose squares are 0 or infinity
  const Tensor divisor = on(use.device(), y).requires_grad();
  sum(on(use.device(), y) * 1.5F / divisor).backward();
  EXPECT_LT(largest_error(
                y, divisor.grad(), [](double value) { return -1.5 / value; }, 0),
            4);
}

// A million equal terms: one float that all are added to would be off by half a percent.
TEST_P(Accuracy, OfSumsDownLongColumnsIsThatOfTheLastAxis) {
  const Using backend(*GetParam());
  constexpr std::int64_t rows = 1'000'000;
  const Tensor x = zeros({rows, 2}, {.device = backend.device()});
  fill_(x.slice(0, 1), 0.5F);
  const Tensor leaf = x.requires_grad();
  const double first = std::exp(0.5), all = first + rows - 1;
  const Tensor share = softmax(leaf, 0), log_share = log_softmax(leaf, 0);
  EXPECT_NEAR(share.slice(rows - 1, rows).to_host<float>()[1] * all, 1, 1e-3);
  EXPECT_NEAR(log_share.slice(0, 1).to_host<float>()[0], 0.5 - std::log(all), 1e-3);
  sum(log_share).backward();  // of each the gradient is 1 - rows * share
  EXPECT_NEAR(leaf.grad().slice(0, 1).to_host<float>()[0], 1 - rows * first / all, 1e-3);
}

TEST_P(Accuracy, OfAveragesOfLargeWindowsIsThatOfSmallOnes) {
  const Using backend(*GetParam());
  const Tensor x = full({1, 1, 1500, 1500}, 0.1F, {.device = backend.device()});
  EXPECT_NEAR(avg_pool2d(x, {.kernel = 1500}).item(), 0.1, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(, Accuracy, testing::ValuesIn(backend_pointers()), [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace tidepool::conformance
