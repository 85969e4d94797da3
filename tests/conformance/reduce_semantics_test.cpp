// What reductions do where there is a choice: ties, NaN, nothing, a single element. It is what PyTorch does.
#include "conformance/errors.h"

#include <cmath>
#include <limits>

namespace tidepool::conformance {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class ReduceSemantics : public LibraryTest {
 protected:
  using Values = std::vector<float>;
  template <class Reduce>
  static Values gradient_of(std::initializer_list<float> values, const Shape& shape, Reduce&& reduce) {
    const Tensor a = tensor(values, shape).requires_grad();
    const Tensor result = reduce(a);
    result.backward(ones(result.shape()));
    return a.grad().template to_host<float>();
  }
};

TEST_F(ReduceSemantics, TheGradientOfMaxOverAllIsSharedByTies) {
  EXPECT_EQ(gradient_of({3, 1, 3, 0, 3, 3}, {2, 3}, [](const Tensor& a) { return max(a); }), (Values{0.25F, 0, 0.25F, 0, 0.25F, 0.25F}));
  EXPECT_EQ(gradient_of({1, 1, 2}, {3}, [](const Tensor& a) { return min(a); }), (Values{0.5F, 0.5F, 0}));
}

TEST_F(ReduceSemantics, TheGradientOfMaxOverSeveralAxesIsSharedByTies) {
  const auto over_all = [](const Tensor& a) { return max(a, {0, 1}); };
  EXPECT_EQ(gradient_of({3, 3, 3, 0}, {2, 2}, over_all), (Values{1.0F / 3, 1.0F / 3, 1.0F / 3, 0}));
  // No neighbours: the ties of both axes count together, not one axis after the other.
  const auto around = [](const Tensor& a) { return max(a, {0, 2}, true); };
  EXPECT_EQ(gradient_of({5, 5, 1, 2, 5, 0, 2, 2}, {2, 2, 2}, around),
            (Values{1.0F / 3, 1.0F / 3, 0, 1.0F / 3, 1.0F / 3, 0, 1.0F / 3, 1.0F / 3}));
}

TEST_F(ReduceSemantics, TheGradientOfMaxOverOneAxisGoesToTheFirst) {
  EXPECT_EQ(gradient_of({3, 1, 3, 0, 2, 2}, {2, 3}, [](const Tensor& a) { return max(a, 1); }), (Values{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(gradient_of({3, 1, 3, 1, 2, 1}, {3, 2}, [](const Tensor& a) { return max(a, 0); }), (Values{1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(gradient_of({3, 1, 3, 1, 2, 1}, {3, 2}, [](const Tensor& a) { return min(a, 0, true); }), (Values{0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(gradient_of({1, nan, nan}, {3}, [](const Tensor& a) { return max(a, 0); }), (Values{0, 1, 0}));
}

TEST_F(ReduceSemantics, MaxAndMinOfANaNAreNaN) {
  const Tensor a = tensor({1, nan, 3, 4, 5, 6}, {2, 3});
  EXPECT_TRUE(std::isnan(max(a).item()));
  EXPECT_TRUE(std::isnan(min(a).item()));
  const Values rows = max(a, 1).to_host<float>();
  EXPECT_TRUE(std::isnan(rows[0]));
  EXPECT_EQ(rows[1], 6.0F);
  const Values columns = min(a, 0).to_host<float>();
  EXPECT_EQ(columns[0], 1.0F);
  EXPECT_TRUE(std::isnan(columns[1]));
}

TEST_F(ReduceSemantics, ArgmaxIsTheFirstOfTiesAndNaNIsTheLargest) {
  EXPECT_EQ(argmax(tensor({1, 3, 3, 2}, {4}), 0).item<std::int32_t>(), 1);
  EXPECT_EQ(argmax(tensor({1, 9, nan, 3, nan}, {5}), 0).item<std::int32_t>(), 2);
  EXPECT_EQ(argmax(tensor({1, nan, 3, 5, nan, 3}, {3, 2}), 0, true).to_host<std::int32_t>(), (std::vector<std::int32_t>{2, 0}));
  EXPECT_EQ(argmax(tensor({1, nan, 3, 5, nan, 3}, {3, 2}), 0, true).shape(), (Shape{1, 2}));
  EXPECT_EQ(argmax(tensor({7}, {}), 0).item<std::int32_t>(), 0);
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(argmax(tensor({-inf, -inf}, {2}), -1).item<std::int32_t>(), 0);
}

TEST_F(ReduceSemantics, NothingHasASumButNoMeanAndNoLargest) {
  const Tensor none = zeros({2, 0});
  EXPECT_EQ(sum(none, 1).to_host<float>(), (Values{0, 0}));
  EXPECT_TRUE(std::isnan(mean(none).item()));
  EXPECT_TRUE(std::isnan(var(none).item()));
  EXPECT_EQ(norm(none).item(), 0.0F);
  EXPECT_EQ(max(none, 0).shape(), (Shape{0}));
  EXPECT_THROW(max(none), ShapeError);
  EXPECT_THROW(min(none, 1), ShapeError);
  EXPECT_THROW(argmax(none, 1), ShapeError);
}

TEST_F(ReduceSemantics, VarDividesByOneLess) {
  EXPECT_EQ(var(tensor({1, 2, 3, 4}, {4})).item(), 5.0F / 3);
  EXPECT_TRUE(std::isnan(var(tensor({5}, {1})).item()));
  EXPECT_TRUE(std::isnan(var(tensor({5, 6}, {2, 1}), 1).to_host<float>()[1]));
  EXPECT_TRUE(std::isnan(gradient_of({5}, {1}, [](const Tensor& a) { return var(a); })[0]));
  EXPECT_NEAR(var(tensor({10000, 10001, 10002}, {3})).item(), 1.0F, 1e-6F);  // no cancellation
}

TEST_F(ReduceSemantics, TheGradientOfANormOfZeroIsZero) {
  EXPECT_EQ(norm(tensor({3, 4}, {2})).item(), 5.0F);
  EXPECT_EQ(gradient_of({0, 0}, {2}, [](const Tensor& a) { return norm(a); }), (Values{0, 0}));
  EXPECT_EQ(gradient_of({0, 0, 0, 4}, {2, 2}, [](const Tensor& a) { return norm(a, 1); }), (Values{0, 0, 0, 1}));
  EXPECT_EQ(gradient_of({0, 0, 0, 0}, {2, 1, 2}, [](const Tensor& a) { return norm(a, {0, 2}); }), (Values{0, 0, 0, 0}));
}

TEST_F(ReduceSemantics, WholeNumbersStayWhole) {
  const Tensor a = from_host(std::vector<std::int32_t>{1, -7, 5, 2147483647}, {2, 2});
  EXPECT_EQ(sum(a, 0).dtype(), DType::i32);
  EXPECT_EQ(sum(a, 0).to_host<std::int32_t>(), (std::vector<std::int32_t>{6, 2147483640}));
  EXPECT_EQ(max(a).item<std::int32_t>(), 2147483647);
  EXPECT_EQ(min(a, 1).to_host<std::int32_t>(), (std::vector<std::int32_t>{-7, 5}));
  EXPECT_THROW(mean(a), DTypeError);
  EXPECT_THROW(var(a), DTypeError);
  EXPECT_THROW(norm(a), DTypeError);
}

class ReduceErrors : public ErrorTest {};

TEST_P(ReduceErrors, NameTheOperationAndWhatIsWrong) {
  const Tensor a = ones({2, 3}), whole = integers({2, 3}), bytes = empty({2, 3}, {.dtype = DType::u8});
  expect_error<ShapeError>([&] { max(a, 2); }, {"max:", "axis 2", "rank 2"});
  expect_error<ShapeError>([&] { min(a, {0, -2}); }, {"min:", "axis -2"});
  expect_error<ShapeError>([&] { argmax(a, -3); }, {"argmax:", "axis -3"});
  expect_error<ShapeError>([&] { var(a, {1, 1}, true); }, {"var:", "axis 1"});
  expect_error<ShapeError>([&] { norm(a, 5); }, {"norm:", "axis 5"});
  expect_error<ShapeError>([&] { max(zeros({2, 0}), 1); }, {"max:", "[2, 0]", "axis 1"});
  expect_error<ShapeError>([&] { argmax(zeros({2, 0}), 1); }, {"argmax:", "[2, 0]"});
  expect_error<DTypeError>([&] { sum(bytes); }, {"sum:", "u8", "f32 or i32"});
  expect_error<DTypeError>([&] { max(bytes, 0); }, {"max:", "u8", "f32 or i32"});
  expect_error<DTypeError>([&] { argmax(bytes, 0); }, {"argmax:", "u8"});
  expect_error<DTypeError>([&] { mean(whole); }, {"mean:", "i32", "f32"});
  expect_error<DTypeError>([&] { var(whole, 0); }, {"var:", "i32", "f32"});
  expect_error<DTypeError>([&] { norm(whole); }, {"norm:", "i32", "f32"});
  expect_error<ReleasedError>([&] { max(Tensor()); }, {"max:", "empty"});
  expect_error<ReleasedError>([&] { argmax(ended({2, 3}), 0); }, {"argmax:", "released", "[2, 3]"});
  expect_error<ReleasedError>([&] { var(Tensor(), 1); }, {"var:", "empty"});
  expect_error<ReleasedError>([&] { norm(Tensor()); }, {"norm:", "empty"});
}

INSTANTIATE_TEST_SUITE_P(, ReduceErrors, devices_that_compute(), device_name);

}  // namespace
}  // namespace tidepool::conformance
