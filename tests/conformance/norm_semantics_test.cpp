// Running statistics, and what normalisation refuses. It is what PyTorch does.
#include "conformance/errors.h"

#include <cmath>

namespace tidepool::conformance {
namespace {

class NormSemantics : public OnEveryDevice {
 protected:
  void SetUp() override {
    OnEveryDevice::SetUp();
    if (IsSkipped()) return;
    gamma = ones({2}), beta = zeros({2}), mean = zeros({2}), var = ones({2});
  }
  void TearDown() override {
    gamma = beta = mean = var = {};
    OnEveryDevice::TearDown();
  }
  // `middle` and 1 more and 1 less in turn: the variance is 1 whatever the mean.
  static std::vector<float> up_and_down(std::size_t count, float middle) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = middle + (i % 2 == 0 ? 1.0F : -1.0F);
    return values;
  }
  Tensor gamma, beta, mean, var;
};

TEST_P(NormSemantics, TrainingMovesTheRunningStatisticsByTheMomentum) {
  const Tensor x = tensor({1, 10, 3, 10, 5, 40}, {3, 2});  // means 3 and 20, variances (by n - 1) 4 and 300
  batch_norm(x, gamma, beta, mean, var, {.momentum = 0.1});
  const std::vector<float> m = mean.to_host<float>(), v = var.to_host<float>();
  EXPECT_FLOAT_EQ(m[0], 0.3F);
  EXPECT_FLOAT_EQ(m[1], 2.0F);
  EXPECT_FLOAT_EQ(v[0], 0.9F + 0.4F);
  EXPECT_FLOAT_EQ(v[1], 0.9F + 30.0F);
}

TEST_P(NormSemantics, TrainingNormalisesByTheVarianceOfTheBatchAndNotByTheRunningOne) {
  const Tensor x = tensor({1, 2, 3, 6}, {2, 2});  // variances (by n) 1 and 4
  const std::vector<float> y = batch_norm(x, gamma, beta, mean, var, {.eps = 0}).to_host<float>();
  EXPECT_EQ(y, (std::vector<float>{-1, -1, 1, 1}));
}

TEST_P(NormSemantics, EvaluationUsesTheRunningStatisticsAndLeavesThem) {
  fill_(mean, 2.0F);
  fill_(var, 4.0F);
  const Tensor x = tensor({2, 4, 6, 0}, {1, 2, 1, 2});
  const std::vector<float> y = batch_norm(x, gamma, beta, mean, var, {.training = false, .eps = 0}).to_host<float>();
  EXPECT_EQ(y, (std::vector<float>{0, 1, 2, -1}));
  EXPECT_EQ(mean.to_host<float>(), (std::vector<float>{2, 2}));
  EXPECT_EQ(var.to_host<float>(), (std::vector<float>{4, 4}));
}

TEST_P(NormSemantics, APlanMovesTheRunningStatisticsAtEachRun) {
  const Tensor x = tensor({1, 1, 3, 3}, {2, 2});
  Tensor y;
  const Plan plan = capture([&] { y = batch_norm(x, gamma, beta, mean, var, {.momentum = 0.5}); });
  plan.run();
  plan.run();
  EXPECT_FLOAT_EQ(mean.to_host<float>()[0], 1.5F);
  EXPECT_FLOAT_EQ(var.to_host<float>()[0], 1.75F);
}

TEST_P(NormSemantics, AnEmptyBatchLeavesTheRunningStatistics) {
  EXPECT_EQ(batch_norm(zeros({0, 2}), gamma, beta, mean, var).shape(), (Shape{0, 2}));
  EXPECT_EQ(mean.to_host<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(var.to_host<float>(), (std::vector<float>{1, 1}));
}

TEST_P(NormSemantics, LayerNormDividesByTheNumberOfElements) {
  const std::vector<float> y = layer_norm(tensor({1, 3, 2, 6}, {2, 2}), gamma, beta, 0).to_host<float>();
  EXPECT_EQ(y, (std::vector<float>{-1, 1, -1, 1}));
}

TEST_P(NormSemantics, StatisticsOfManyValuesFarFromZeroAreRight) {
  for (const Shape& shape : {Shape{150'001, 2}, Shape{3, 2, 223, 225}}) {
    const std::vector<float> values = up_and_down(static_cast<std::size_t>(shape.numel()) / 2, 1000.0F);
    const Tensor channel = from_host(values, shape.rank() == 2 ? Shape{shape[0], 1} : Shape{3, 1, 223, 225}, default_device());
    batch_norm(concat({channel, channel}, 1), gamma, beta, mean, var, {.momentum = 1});
    for (const float m : mean.to_host<float>()) EXPECT_NEAR(m, 1000.0F, 1e-3F) << shape;
    for (const float v : var.to_host<float>()) EXPECT_NEAR(v, 1.0F, 1e-4F) << shape;
  }
}

TEST_P(NormSemantics, RowsOfAMillionAreNormalised) {
  for (const std::size_t count : {std::size_t{1} << 20, (std::size_t{1} << 20) + 2}) {
    const Shape shape{1, static_cast<std::int64_t>(count)};
    const Tensor x = from_host(up_and_down(count, 5.0F), shape, default_device()).requires_grad(), one = ones({shape[1]});
    const Tensor y = layer_norm(x, one, zeros({shape[1]}), 0);
    const std::vector<float> values = y.to_host<float>();
    for (std::size_t i = 0; i < count; i += 4095) ASSERT_NEAR(values[i], i % 2 == 0 ? 1.0F : -1.0F, 1e-5F) << i << " of " << count;
    y.backward(y.detach() + one);  // what is constant or along y itself has no effect
    for (const float d : x.grad().to_host<float>()) ASSERT_NEAR(d, 0, 1e-4F) << count;
  }
}

INSTANTIATE_TEST_SUITE_P(, NormSemantics, devices_that_compute(), device_name);

class NormErrors : public ErrorTest {};

TEST_P(NormErrors, NameTheOperationAndWhatIsWrong) {
  const Tensor x = ones({4, 2}), two = ones({2}), three = ones({3}), mean = zeros({2}), var = ones({2});
  expect_error<ShapeError>([&] { batch_norm(ones({4, 2, 3}), two, two, mean, var); }, {"batch_norm:", "[4, 2, 3]"});
  expect_error<ShapeError>([&] { batch_norm(x, three, two, mean, var); }, {"batch_norm:", "gamma", "[3]", "[4, 2]", "[2]"});
  expect_error<ShapeError>([&] { batch_norm(x, two, three, mean, var); }, {"batch_norm:", "beta", "[3]"});
  expect_error<ShapeError>([&] { batch_norm(x, two, two, three, var); }, {"batch_norm:", "running_mean", "[3]"});
  expect_error<ShapeError>([&] { batch_norm(x, two, two, mean, three); }, {"batch_norm:", "running_var", "[3]"});
  expect_error<ShapeError>([&] { batch_norm(ones({1, 2}), two, two, mean, var); }, {"batch_norm:", "[1, 2]", "more than one value"});
  expect_error<DTypeError>([&] { batch_norm(integers({4, 2}), two, two, mean, var); }, {"batch_norm:", "i32", "f32"});
  expect_error<DTypeError>([&] { batch_norm(x, two, two, mean, integers({2})); }, {"batch_norm:", "running_var", "i32"});
  expect_error<ArgumentError>([&] { batch_norm(x, two, two, mean, var, {.eps = -1}); }, {"batch_norm:", "eps", "-1"});
  expect_error<ArgumentError>([&] { batch_norm(x, two, two, mean, var, {.momentum = 2}); }, {"batch_norm:", "momentum", "2"});
  expect_error<ReleasedError>([&] { batch_norm(x, two, two, Tensor(), var); }, {"batch_norm:", "empty"});
  expect_error<ShapeError>([&] { layer_norm(x, three, two); }, {"layer_norm:", "gamma", "[3]", "[4, 2]"});
  expect_error<ShapeError>([&] { layer_norm(x, two, three); }, {"layer_norm:", "beta", "[3]"});
  expect_error<ShapeError>([&] { layer_norm(ones({}), two, two); }, {"layer_norm:", "[]"});
  expect_error<DTypeError>([&] { layer_norm(integers({4, 2}), two, two); }, {"layer_norm:", "i32"});
  expect_error<ArgumentError>([&] { layer_norm(x, two, two, -1); }, {"layer_norm:", "eps", "-1"});
  EXPECT_EQ(mean.to_host<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(var.to_host<float>(), (std::vector<float>{1, 1}));
}

INSTANTIATE_TEST_SUITE_P(, NormErrors, devices_that_compute(), device_name);

}  // namespace
}  // namespace tidepool::conformance
