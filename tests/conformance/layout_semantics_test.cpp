// What creating, copying and putting together do where there is a choice, at sizes that are not everyday ones.
#include "support/devices.h"

#include <numeric>
#include <vector>

namespace tidepool::conformance {
namespace {

class LayoutSemantics : public OnEveryDevice {};

TEST_P(LayoutSemantics, AThousandTensorsAreJoinedInOrderAndEachGetsItsGradient) {
  std::vector<Tensor> parts;
  std::vector<float> values(1000), weights(1000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i);
    weights[i] = static_cast<float>(1000 - i);
    parts.push_back(full({1}, values[i]).requires_grad());
  }
  const Tensor joined = concat(parts, 0), stacked = stack(parts, 1);
  EXPECT_EQ(joined.to_host<float>(), values);
  EXPECT_EQ(stacked.shape(), (Shape{1, 1000}));
  EXPECT_EQ(stacked.to_host<float>(), values);
  joined.backward(from_host(weights, {1000}));
  for (std::size_t i = 0; i < parts.size(); ++i) ASSERT_EQ(parts[i].grad().item(), weights[i]) << i;
}

// Each number is copied twice, whichever tensor it stands in.
TEST_P(LayoutSemantics, JoiningAThousandTensorsTakesNoPileOfCopies) {
  const std::vector<Tensor> parts(1000, ones({4096}));
  cleanup();
  const std::size_t before = memory().live_bytes, result = 1000 * 4096 * sizeof(float);
  reset_peak();
  const Tensor joined = concat(parts, 0);
  EXPECT_LT(memory().peak_bytes - before, result * 5 / 2);
  EXPECT_EQ(sum(joined).item(), 1000 * 4096);
}

TEST_P(LayoutSemantics, ArangeCountsOnWhereFloatsHaveNoOddNumbers) {
  const Tensor counted = arange((1 << 24) + 9);
  EXPECT_EQ(counted.slice((1 << 24) - 1, (1 << 24) + 9).to_host<float>(),
            (std::vector<float>{16777215, 16777216, 16777216, 16777218, 16777220, 16777220, 16777220, 16777222, 16777224, 16777224}));
}

TEST_P(LayoutSemantics, ATensorIsCopiedToItselfAndBetweenViewsThatLieApart) {
  const Tensor a = tensor({1, 2, 3, 4, 5, 6}, {3, 2});
  copy_(a, a);
  copy_(a.slice(1, 2), a.slice(1, 2));
  EXPECT_EQ(a.to_host<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  copy_(a.slice(0, 1), a.slice(1, 2));
  EXPECT_EQ(a.to_host<float>(), (std::vector<float>{3, 4, 3, 4, 5, 6}));
  copy_(a.slice(0, 2), a.slice(1, 3).clone());
  EXPECT_EQ(a.to_host<float>(), (std::vector<float>{3, 4, 5, 6, 5, 6}));
}

TEST_P(LayoutSemantics, GradientsFollowATensorToAnotherDeviceAndBack) {
  const Device home = device("cpu");
  const Tensor w = tensor({1, 2, 3}, {3}, home).requires_grad();
  const Tensor there = w.to(device(id()));
  const Tensor loss = sum(square(there.to(DType::f16).to(home).to(DType::f32)) + w);
  loss.backward();
  EXPECT_EQ(w.grad().device(), home);
  EXPECT_EQ(w.grad().to_host<float>(), (std::vector<float>{3, 5, 7}));
  const NoGrad guard;
  EXPECT_FALSE(w.to(device("null")).wants_grad());
}

INSTANTIATE_TEST_SUITE_P(On, LayoutSemantics, devices_that_compute(), device_name);

}  // namespace
}  // namespace tidepool::conformance
