// NaN, infinities, huge numbers and denormals through every operation, also those whose own cases have none.
#include <gtest/gtest.h>

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
INSTANTIATE_TEST_SUITE_P(On, SpecialValues, testing::ValuesIn(backend_pointers()), [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace tidepool::conformance
