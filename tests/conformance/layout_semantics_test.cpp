// What creating, copying and putting together do where there is a choice, at sizes that are not everyday ones.
#include "support/devices.h"

#include <numeric>
#include <vector>

namespace tidepool::conformance {
namespace {

class LayoutSemantics : public OnEveryDevice {};

TEST_P(LayoutSemantics, ArangeCountsOnWhereFloatsHaveNoOddNumbers) {
  const Tensor counted = arange((1 << 24) + 9);
  EXPECT_EQ(counted.slice((1 << 24) - 1, (1 << 24) + 9).to_host<float>(),
            (std::vector<float>{16777215, 16777216, 16777216, 16777218, 16777220, 16777220, 16777220, 16777222, 16777224, 16777224}));
}

INSTANTIATE_TEST_SUITE_P(On, LayoutSemantics, devices_that_compute(), device_name);

}  // namespace
}  // namespace tidepool::conformance
