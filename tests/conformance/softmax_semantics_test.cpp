// Softmax where it is delicate: large numbers, infinities, NaN. It is what PyTorch does.
#include "conformance/errors.h"

#include <cmath>
#include <limits>

namespace tidepool::conformance {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

class SoftmaxSemantics : public LibraryTest {
 protected:
  static bool all_nan(const Tensor& a) {
    for (const float value : a.to_host<float>())
      if (!std::isnan(value)) return false;
    return true;
  }
  // The same along the last axis and along the first.
  static void expect_rows(std::initializer_list<float> row, const std::vector<float>& wanted, const std::vector<float>& wanted_log) {
    const auto n = static_cast<std::int64_t>(row.size());
    for (const bool last : {true, false}) {
      const Tensor a = last ? tensor(row, {n}) : transpose(broadcast_to(tensor(row, {1, n}), {3, n}));
      const std::vector<float> y = softmax(a, 0).to_host<float>(), z = log_softmax(a, 0).to_host<float>();
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_FLOAT_EQ(y[last ? i : 3 * i], wanted[i]);
        EXPECT_FLOAT_EQ(z[last ? i : 3 * i], wanted_log[i]);
      }
    }
  }
};

TEST_F(SoftmaxSemantics, LargeNumbersDoNotOverflow) {
  expect_rows({10000, 10000}, {0.5F, 0.5F}, {-std::log(2.0F), -std::log(2.0F)});
  expect_rows({-10000, 10000}, {0, 1}, {-20000, 0});
}

TEST_F(SoftmaxSemantics, MinusInfinityIsAChanceOfZero) {
  expect_rows({-inf, 3, 3}, {0, 0.5F, 0.5F}, {-inf, -std::log(2.0F), -std::log(2.0F)});
}

TEST_F(SoftmaxSemantics, RowsWithoutAnAnswerAreNaN) {
  for (const auto& row : {std::vector<float>{-inf, -inf}, std::vector<float>{inf, 1}, std::vector<float>{1, nan}}) {
    for (const Shape& shape : {Shape{2}, Shape{2, 1}, Shape{1, 2, 1}}) {
      const Tensor a = from_host(row, shape);
      EXPECT_TRUE(all_nan(softmax(a, shape.rank() == 3 ? 1 : 0)));
      EXPECT_TRUE(all_nan(log_softmax(a, shape.rank() == 3 ? 1 : 0)));
    }
    const Tensor columns = transpose(broadcast_to(from_host(row, {1, 2}), {3, 2}));
    EXPECT_TRUE(all_nan(softmax(columns, 0)));
    EXPECT_TRUE(all_nan(log_softmax(columns, 0)));
  }
}

class SoftmaxErrors : public ErrorTest {};

TEST_P(SoftmaxErrors, NameTheOperationAndWhatIsWrong) {
  const Tensor a = ones({2, 3});
  expect_error<ShapeError>([&] { softmax(a, 2); }, {"softmax:", "axis 2", "rank 2"});
  expect_error<ShapeError>([&] { log_softmax(a, -3); }, {"log_softmax:", "axis -3"});
  expect_error<DTypeError>([&] { softmax(integers({2, 3}), 1); }, {"softmax:", "i32", "f32"});
  expect_error<ReleasedError>([&] { softmax(Tensor(), 0); }, {"softmax:", "empty"});
  expect_error<ReleasedError>([&] { log_softmax(ended({2, 3}), 0); }, {"log_softmax:", "released"});
}

INSTANTIATE_TEST_SUITE_P(, SoftmaxErrors, devices_that_compute(), device_name);

}  // namespace
}  // namespace tidepool::conformance
