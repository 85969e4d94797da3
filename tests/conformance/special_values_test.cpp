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

TEST_P(SpecialValues, GoThroughEveryOperation) {
  const Using backend(*GetParam());
  int checked = 0;
  for (const OpCases& cases : all_cases()) {
    const Case* like = small_case(cases);
    if (!like) continue;
    for (const Values values : {Values::special, Values::denormals}) {
      Case c = *like;
      c.values = values;
      if (!applies(cases, c, backend.device())) continue;
      EXPECT_TRUE(values_agree(cases, c, backend.device()));
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}
INSTANTIATE_TEST_SUITE_P(On, SpecialValues, testing::ValuesIn(backend_pointers()), [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace tidepool::conformance
