// Every operation on every backend. What is checked is in checks.h, on what in the cases files.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ostream>

#include "conformance/backends.h"
#include "conformance/checks.h"
#include "platform/environment.h"
#include "support/devices.h"

namespace tidepool::conformance {
namespace {

struct Combination {
  const OpCases* cases;
  const TestBackend* backend;
};

std::string name_of(const Combination& combination) { return name_of(*combination.cases) + '_' + combination.backend->name; }
void PrintTo(const Combination& combination, std::ostream* out) { *out << name_of(combination); }

std::vector<Combination> all_combinations() {
  std::vector<Combination> all;
  for (const OpCases& cases : all_cases())
    for (const TestBackend& backend : test_backends())
      if (cases.vulkan || backend.device == "cpu") all.push_back({&cases, &backend});
  return all;
}

std::vector<Combination> differentiable_combinations() {
  std::vector<Combination> all = all_combinations();
  std::erase_if(all, [](const Combination& combination) { return !combination.cases->differentiable; });
  return all;
}

// The default device stays the CPU, so that an operation that forgets where its inputs are is seen.
class Conformance : public LibraryTest, public testing::WithParamInterface<Combination> {
 protected:
  void SetUp() override {
    if (const std::string why = why_missing(backend()); !why.empty()) GTEST_SKIP() << why;
    LibraryTest::SetUp();
  }
  void TearDown() override {
    if (!IsSkipped()) LibraryTest::TearDown();
  }
  static const OpCases& cases() { return *GetParam().cases; }
  static const TestBackend& backend() { return *GetParam().backend; }

  template <class Check>
  void expect_for_all(Check&& check) {
    const Using use(backend());
    for (const Case& c : cases().over) {
      if (!applies(cases(), c, use.device())) continue;
      EXPECT_TRUE(check(cases(), c, use.device()));
    }
    cleanup();
    EXPECT_EQ(memory(use.device()).live_bytes, 0U) << "something holds memory that no tensor needs";
  }
};

TEST_P(Conformance, ValuesAgreeWithTheReference) { expect_for_all(values_agree); }

std::vector<Outcome> outcomes_on(const TestBackend& backend, const OpCases& cases) {
  const Using use(backend);
  std::vector<Outcome> all;
  for (const Case& c : cases.over) all.push_back(has_gradients(cases, c) ? run(cases, c, use.device()) : Outcome());
  return all;
}

class ConformanceGradients : public Conformance {};

// The CPU's against finite differences, all others against the CPU's.
TEST_P(ConformanceGradients, AgreeWithTheReference) {
  if (&backend() == &plain_cpu()) {
    expect_for_all([](const OpCases& cases, const Case& c, const Device& device) {
      return has_gradients(cases, c) ? gradients_agree(cases, c, device) : testing::AssertionSuccess();
    });
    return;
  }
  const std::vector<Outcome> wanted = outcomes_on(plain_cpu(), cases()), got = outcomes_on(backend(), cases());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(gradients_agree(cases(), cases().over[i], got[i], wanted[i]));
}

TEST_P(Conformance, BitsAreTheSameEveryTime) { expect_for_all(is_deterministic); }

TEST_P(Conformance, BitsAreTheSameInAPlan) { expect_for_all(captures); }

INSTANTIATE_TEST_SUITE_P(, Conformance, testing::ValuesIn(all_combinations()), [](const auto& info) { return name_of(info.param); });
INSTANTIATE_TEST_SUITE_P(, ConformanceGradients, testing::ValuesIn(differentiable_combinations()),
                         [](const auto& info) { return name_of(info.param); });

class ConformanceSpeed : public testing::TestWithParam<const TestBackend*> {};

std::int64_t elements(const Case& c) { return std::max(c.shape.numel(), c.other.numel()); }

const Case& largest(const OpCases& cases) { return *std::ranges::max_element(cases.over, {}, elements); }

// Nanoseconds for each element of the largest tensor; the best of a few rounds, because other programs run too.
double forward_speed(const OpCases& cases, const Case& c, const Device& device) {
  using Clock = std::chrono::steady_clock;
  const NoGrad guard;
  Inputs in(device, c, cases.kinks);
  cases.make(in, c);
  sync();
  double best = 1e300;
  for (int round = 0; round < 7; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < 10; ++i) {
      in.rewind();
      cases.make(in, c);
    }
    sync();
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    best = std::min(best, time.count() / 10 / static_cast<double>(elements(c)));
  }
  return best;
}

TEST_P(ConformanceSpeed, IsPrinted) {
  if (environment("TIDEPOOL_CONFORMANCE_SPEED") != "1") GTEST_SKIP() << "speeds are not printed: set TIDEPOOL_CONFORMANCE_SPEED=1";
  if (const std::string why = why_missing(*GetParam()); !why.empty()) GTEST_SKIP() << why;
  const Using use(*GetParam());
  for (const OpCases& cases : all_cases()) {
    if (!cases.form.empty() || (!cases.vulkan && GetParam()->device != "cpu")) continue;
    const Case& c = largest(cases);
    std::printf("%-12s %-14s %10.3f ns per element in %s\n", GetParam()->name.c_str(), name_of(cases).c_str(),
                forward_speed(cases, c, use.device()), describe(c).c_str());
  }
}

std::vector<const TestBackend*> backend_pointers() {
  std::vector<const TestBackend*> all;
  for (const TestBackend& backend : test_backends()) all.push_back(&backend);
  return all;
}

INSTANTIATE_TEST_SUITE_P(, ConformanceSpeed, testing::ValuesIn(backend_pointers()), [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace tidepool::conformance
