// Gradients against central finite differences of the double-precision reference.
#include "conformance/checks.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace tidepool::conformance {

namespace {

using testing::AssertionResult;

constexpr double step = 1e-5;
constexpr std::size_t few = 64;      // so many elements are all looked at one by one,
constexpr std::size_t sampled = 14;  // of more than that these,
constexpr std::size_t many = 200'000;
constexpr std::size_t sampled_of_many = 4;  // and of really many these; all of them together once

struct Slope {
  double value = 0;
  double magnitude = 0;  // of the terms that it is the sum of
};

// d(seed · reference)/d(along), at the numbers, in a direction that changes one input.
class Differences {
 public:
  Differences(const OpCases& cases, const Case& c, RefTensors numbers)
      : cases_(cases), case_(c), numbers_(std::move(numbers)), seed_(seed()) {}

  Slope of_element(std::size_t input, std::size_t element) {
    double& x = numbers_[input].values[element];
    const double middle = x, h = step * std::max(1.0, std::abs(middle));
    x = middle + h;
    const RefTensor above = cases_.reference(numbers_, case_);
    x = middle - h;
    const RefTensor below = cases_.reference(numbers_, case_);
    x = middle;
    return slope(above, below, h);
  }

  Slope of_direction(std::size_t input, const std::vector<double>& direction) {
    const std::vector<double> middle = numbers_[input].values;
    const auto moved = [&](double h) {
      for (std::size_t i = 0; i < middle.size(); ++i) numbers_[input].values[i] = middle[i] + h * direction[i];
      return cases_.reference(numbers_, case_);
    };
    const RefTensor above = moved(step), below = moved(-step);
    numbers_[input].values = middle;
    return slope(above, below, step);
  }

 private:
  // The numbers that the device got, drawn again.
  std::vector<float> seed() {
    const RefTensor result = cases_.reference(numbers_, case_);
    return seed_values(result.values.size());
  }

  Slope slope(const RefTensor& above, const RefTensor& below, double h) const {
    Slope total;
    for (std::size_t i = 0; i < seed_.size(); ++i) {
      const double term = static_cast<double>(seed_[i]) * (above.values[i] - below.values[i]) / (2 * h);
      total.value += term;
      total.magnitude += std::abs(term);
    }
    return total;
  }

  const OpCases& cases_;
  const Case& case_;
  RefTensors numbers_;
  std::vector<float> seed_;
};

std::vector<std::size_t> places(std::size_t count) {
  std::vector<std::size_t> chosen;
  if (count <= few) {
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(i);
    return chosen;
  }
  chosen = {0, count - 1};
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < (count > many ? sampled_of_many : sampled); ++i) chosen.push_back(random() % count);
  return chosen;
}

bool agrees(double got, const Slope& wanted, double tolerance) {
  return std::abs(got - wanted.value) <= tolerance * std::max(wanted.magnitude, 1e-6);
}

AssertionResult wrong(const OpCases& cases, const Case& c, std::size_t input) {
  return testing::AssertionFailure() << name_of(cases) << ' ' << describe(c) << ": the gradient of input " << input << ' ';
}

AssertionResult input_agrees(const OpCases& cases, const Case& c, Differences& differences, std::size_t input,
                             const std::vector<float>& got) {
  for (const std::size_t i : places(got.size()))
    if (const Slope wanted = differences.of_element(input, i); !agrees(static_cast<double>(got[i]), wanted, cases.gradient_tolerance))
      return wrong(cases, c, input) << "is " << got[i] << " at element " << i << ", wanted " << wanted.value << " by finite differences";
  if (got.size() <= few) return testing::AssertionSuccess();
  std::mt19937_64 random(5);
  std::vector<double> direction(got.size());
  double along = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    direction[i] = random() % 2 == 0 ? 1 : -1;
    along += direction[i] * static_cast<double>(got[i]);
  }
  if (const Slope wanted = differences.of_direction(input, direction); !agrees(along, wanted, cases.gradient_tolerance))
    return wrong(cases, c, input) << "is " << along << " along a direction of all elements, wanted " << wanted.value;
  return testing::AssertionSuccess();
}

}  // namespace

AssertionResult gradients_agree(const OpCases& cases, const Case& c, const Device& device) {
  Inputs in(device, c, cases.kinks);
  const Tensor result = cases.make(in, c);
  result.backward(in.seed_like(result));
  Differences differences(cases, c, in.numbers());
  for (std::size_t input = 0; input < in.leaves().size(); ++input) {
    const Tensor& leaf = in.leaves()[input];
    if (!leaf.wants_grad()) continue;
    if (!leaf.grad().defined()) return wrong(cases, c, input) << "is missing";
    if (!(leaf.grad().shape() == leaf.shape()))
      return wrong(cases, c, input) << "has shape " << leaf.grad().shape() << ", the input " << leaf.shape();
    if (const auto agree = input_agrees(cases, c, differences, input, leaf.grad().to_host<float>()); !agree) return agree;
  }
  return testing::AssertionSuccess();
}

}  // namespace tidepool::conformance
