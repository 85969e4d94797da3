#include "conformance/checks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

namespace tidepool::conformance {

namespace {

using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

AssertionResult wrong(const OpCases& cases, const Case& c) { return AssertionFailure() << name_of(cases) << ' ' << describe(c) << ": "; }

constexpr std::size_t shown = 8;  // wrong elements in a message

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// What a float can make of it.
bool agrees(float got, double wanted, double magnitude, double tolerance) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (std::abs(wanted) > static_cast<double>(std::numeric_limits<float>::max()))
    return std::isinf(got) && std::signbit(got) == std::signbit(wanted);
  if (tolerance == 0) return bits(got) == bits(static_cast<float>(wanted));
  const double smallest = tolerance * static_cast<double>(std::numeric_limits<float>::min());
  return std::abs(static_cast<double>(got) - wanted) <= tolerance * magnitude + smallest;
}

AssertionResult same_bits(const OpCases& cases, const Case& c, const char* when, const Outcome& first, const Outcome& second) {
  const auto differs = [](const std::vector<float>& a, const std::vector<float>& b) -> std::optional<std::size_t> {
    if (a.size() != b.size()) return std::min(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      if (bits(a[i]) != bits(b[i])) return i;
    return std::nullopt;
  };
  if (!(first.shape == second.shape)) return wrong(cases, c) << "shape " << second.shape << ' ' << when << ", " << first.shape << " before";
  if (const auto at = differs(first.values, second.values)) return wrong(cases, c) << "element " << *at << " has other bits " << when;
  if (first.gradients.size() != second.gradients.size()) return wrong(cases, c) << "other gradients " << when;
  for (std::size_t input = 0; input < first.gradients.size(); ++input)
    if (const auto at = differs(first.gradients[input], second.gradients[input]))
      return wrong(cases, c) << "element " << *at << " of the gradient of input " << input << " has other bits " << when;
  return AssertionSuccess();
}

Outcome collect(const Tensor& result, const Inputs& in, bool gradients) {
  Outcome outcome{.shape = result.shape(), .values = host_values(result), .gradient_shapes = {}, .gradients = {}};
  if (!gradients) return outcome;
  for (const Tensor& leaf : in.leaves()) {
    if (!leaf.wants_grad()) continue;
    outcome.gradient_shapes.push_back(leaf.grad().shape());
    outcome.gradients.push_back(leaf.grad().to_host<float>());
  }
  return outcome;
}

class CommandsAtOnce {
 public:
  explicit CommandsAtOnce(std::int64_t count) : before_(settings().max_commands) { configure({.max_commands = count}); }
  ~CommandsAtOnce() { configure({.max_commands = before_}); }
  CommandsAtOnce(const CommandsAtOnce&) = delete;
  CommandsAtOnce& operator=(const CommandsAtOnce&) = delete;

 private:
  std::int64_t before_;
};

}  // namespace

bool has_gradients(const OpCases& cases, const Case& c) { return cases.differentiable && c.values == Values::random; }

bool applies(const OpCases& cases, const Case& c, const Device& device) {
  if (!cases.vulkan && device.id().starts_with("vulkan")) return false;
  return c.values != Values::denormals || cases.tolerance == 0 || device.id() == "cpu";
}

Outcome run(const OpCases& cases, const Case& c, const Device& device) {
  Inputs in(device, c, cases.kinks);
  const Tensor result = cases.make(in, c);
  const bool gradients = has_gradients(cases, c);
  if (gradients) result.backward(in.seed_like(result));
  return collect(result, in, gradients);
}

AssertionResult values_agree(const OpCases& cases, const Case& c, const Device& device) {
  Inputs in(device, c, cases.kinks);
  const Tensor result = cases.make(in, c);
  const RefTensor wanted = cases.reference(in.numbers(), c);
  if (!(result.shape() == wanted.shape)) return wrong(cases, c) << "shape " << result.shape() << ", wanted " << wanted.shape;
  if (!(result.device() == device)) return wrong(cases, c) << "the result is on " << result.device();
  const std::vector<float> got = host_values(result);
  std::ostringstream found;
  std::size_t count = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!agrees(got[i], wanted.values[i], wanted.magnitude(i), cases.tolerance) && ++count <= shown)
      found << "\n    element " << i << " is " << got[i] << ", wanted " << wanted.values[i] << " (magnitude " << wanted.magnitude(i) << ')';
  if (count > 0)
    return wrong(cases, c) << count << " of " << got.size() << " elements are off by more than " << cases.tolerance << ':' << found.str();
  return AssertionSuccess();
}

AssertionResult gradients_agree(const OpCases& cases, const Case& c, const Outcome& got, const Outcome& wanted) {
  if (got.gradients.size() != wanted.gradients.size()) return wrong(cases, c) << "other gradients";
  for (std::size_t input = 0; input < wanted.gradients.size(); ++input) {
    const std::vector<float>&mine = got.gradients[input], &theirs = wanted.gradients[input];
    if (!(got.gradient_shapes[input] == wanted.gradient_shapes[input]))
      return wrong(cases, c) << "the gradient of input " << input << " has shape " << got.gradient_shapes[input];
    double typical = 0;  // small sums of large terms are as inexact as the terms
    for (const float value : theirs) typical += std::abs(static_cast<double>(value)) / static_cast<double>(theirs.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const auto value = static_cast<double>(theirs[i]);
      if (!agrees(mine[i], value, std::max(std::abs(value), typical), cases.gradient_tolerance))
        return wrong(cases, c) << "element " << i << " of the gradient of input " << input << " is " << mine[i] << ", wanted " << theirs[i];
    }
  }
  return AssertionSuccess();
}

AssertionResult is_deterministic(const OpCases& cases, const Case& c, const Device& device) {
  const Outcome first = run(cases, c, device);
  if (const auto result = same_bits(cases, c, "the second time", first, run(cases, c, device)); !result) return result;
  Outcome tidied;
  const std::int64_t tensors = memory(device).tensors;
  tidy([&] { tidied = run(cases, c, device); });
  if (memory(device).tensors != tensors) return wrong(cases, c) << "tidy leaves tensors";
  if (const auto result = same_bits(cases, c, "inside tidy", first, tidied); !result) return result;
  const CommandsAtOnce one(1);
  return same_bits(cases, c, "when launches are submitted one by one", first, run(cases, c, device));
}

AssertionResult captures(const OpCases& cases, const Case& c, const Device& device) {
  const Outcome wanted = run(cases, c, device);
  const bool gradients = has_gradients(cases, c);
  Inputs in(device, c, cases.kinks);
  const Tensor seed = in.seed_like(cases.make(in, c));  // inputs cannot be uploaded inside a capture
  Tensor result;
  const Plan plan = capture([&] {
    in.rewind();
    result = cases.make(in, c);
    if (gradients)
      result.backward(seed);
    else
      result = result.clone();  // a view alone launches nothing, which is no plan
  });
  for (const char* when : {"in the plan's first run", "in the plan's second run"}) {
    plan.run();
    if (const auto same = same_bits(cases, c, when, wanted, collect(result, in, gradients)); !same) return same;
  }
  return AssertionSuccess();
}

}  // namespace tidepool::conformance
