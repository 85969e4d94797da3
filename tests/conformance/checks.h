// The checks that conformance is made of. Each takes an operation's cases, one of them, and the device; what it finds
// wrong, it says.
#pragma once

#include <gtest/gtest.h>

#include "conformance/cases.h"

#include <vector>

namespace tidepool::conformance {

// What a run gave, on the host.
struct Outcome {
  Shape shape;
  std::vector<float> values;
  std::vector<Shape> gradient_shapes;
  std::vector<std::vector<float>> gradients;  // of each input
};

bool has_gradients(const OpCases& cases, const Case& c);
// Whether the case means something on this device.
bool applies(const OpCases& cases, const Case& c, const Device& device);
Outcome run(const OpCases& cases, const Case& c, const Device& device);

testing::AssertionResult values_agree(const OpCases& cases, const Case& c, const Device& device);
// With central finite differences of the reference.
testing::AssertionResult gradients_agree(const OpCases& cases, const Case& c, const Device& device);
testing::AssertionResult gradients_agree(const OpCases& cases, const Case& c, const Outcome& got, const Outcome& wanted);
// The same bits twice, inside tidy, and with every launch submitted alone.
testing::AssertionResult is_deterministic(const OpCases& cases, const Case& c, const Device& device);
// The same bits when captured, in the plan's first and second run.
testing::AssertionResult captures(const OpCases& cases, const Case& c, const Device& device);

}  // namespace tidepool::conformance
