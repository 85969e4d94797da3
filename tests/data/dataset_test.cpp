// Datasets made from tensors, and what all datasets can do.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <cmath>
#include <vector>

#include "data/values.h"
#include "support/errors.h"

namespace tidepool::inline v0 {
namespace {

using data::Dataset;
using data::from_tensors;

Dataset four() { return from_tensors(tensor({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2}), from_host(std::vector<std::int32_t>{0, 2, 1, 0}, {4})); }

TEST(Dataset, KeepsWhatTensorsHeld) {
  const Dataset d = four();
  EXPECT_EQ(d.size(), 4);
  EXPECT_EQ(d.x_shape(), Shape{2});
  EXPECT_EQ(d.y_shape(), Shape{});
  EXPECT_EQ(d.x_dtype(), DType::f32);
  EXPECT_EQ(d.y_dtype(), DType::i32);
  EXPECT_EQ(d.classes(), 3);
  EXPECT_EQ(x_values<float>(d), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(y_values<std::int32_t>(d), (std::vector<std::int32_t>{0, 2, 1, 0}));
}

TEST(Dataset, TypesOfTensorsBecomeTypesOfSamples) {
  const Tensor bytes = from_host(std::vector<std::uint8_t>{0, 255}, {2, 1}), halves = tensor({1, 2}, {2}).to(DType::f16);
  const Dataset d = from_tensors(bytes, halves), e = from_tensors(halves, bytes.reshape({2}));
  EXPECT_EQ(d.x_dtype(), DType::u8);
  EXPECT_EQ(x_values<std::uint8_t>(d), (std::vector<std::uint8_t>{0, 255}));
  EXPECT_EQ(y_values<float>(d), (std::vector<float>{1, 2}));
  EXPECT_EQ(d.classes(), 0);
  EXPECT_EQ(x_values<float>(e), (std::vector<float>{1, 2}));
  EXPECT_EQ(y_values<std::int32_t>(e), (std::vector<std::int32_t>{0, 255}));
  EXPECT_EQ(e.classes(), 256);
}

TEST(Dataset, OnlyLabelsFromZeroHaveClasses) {
  const Tensor x = zeros({2, 1});
  EXPECT_EQ(from_tensors(x, from_host(std::vector<std::int32_t>{-1, 1}, {2})).classes(), 0);
  EXPECT_EQ(from_tensors(x, from_host(std::vector<std::int32_t>{1, 1}, {2, 1})).classes(), 0);
  EXPECT_EQ(from_tensors(x, from_host(std::vector<std::int32_t>{0, INT32_MAX}, {2})).classes(), std::int64_t{1} << 31);
}

TEST(Dataset, ASliceSharesTheNumbers) {
  const Dataset d = four().normalized(1, 2), s = d.slice(1, 4).slice(1, 3);
  EXPECT_EQ(s.size(), 2);
  EXPECT_EQ(x_values<float>(s), (std::vector<float>{5, 6, 7, 8}));
  EXPECT_EQ(y_values<std::int32_t>(s), (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(s.x_bytes().data(), d.x_bytes().data() + 4 * sizeof(float));
  EXPECT_EQ(s.classes(), 3) << "of the whole";
  EXPECT_EQ(s.mean(), 1);
  EXPECT_EQ(s.deviation(), 2);
  EXPECT_EQ(d.slice(4, 4).size(), 0);
  EXPECT_HAS(message_of<ArgumentError>([&] { d.slice(1, 5); }), "slice: got samples [1, 5) of a dataset; wanted 0 <= begin <= end <= 4");
  EXPECT_HAS(message_of<ArgumentError>([&] { s.slice(0, 3); }), "<= 2");
  for (const auto& [begin, end] : {std::pair(-1, 2), std::pair(3, 2)}) message_of<ArgumentError>([&] { d.slice(begin, end); });
}

TEST(Dataset, NormalizationIsRememberedNotApplied) {
  const Dataset d = four();
  EXPECT_EQ(d.mean(), 0);
  EXPECT_EQ(d.deviation(), 1);
  const Dataset n = d.normalized(0.5, 0.25);
  EXPECT_EQ(n.mean(), 0.5);
  EXPECT_EQ(n.deviation(), 0.25);
  EXPECT_EQ(n.x_bytes().data(), d.x_bytes().data());
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) message_of<ArgumentError>([&] { d.normalized(0, bad); });
  message_of<ArgumentError>([&] { d.normalized(HUGE_VAL, 1); });
}

TEST(Dataset, AnEmptyOneCanBeAsked) {
  const Dataset none;
  EXPECT_EQ(none.size(), 0);
  EXPECT_TRUE(none.x_bytes().empty());
  EXPECT_TRUE(none.y_bytes().empty());
  EXPECT_EQ(none.classes(), 0);
  EXPECT_EQ(none.slice(0, 0).size(), 0);
  const Dataset no_rows = from_tensors(zeros({0, 3}), zeros({0}));
  EXPECT_EQ(no_rows.size(), 0);
  EXPECT_EQ(no_rows.x_shape(), Shape{3});
}

TEST(Dataset, TensorsThatDoNotBelongTogetherAreShapeErrors) {
  EXPECT_HAS(message_of<ShapeError>([] {
               from_tensors(zeros({10, 2}), zeros({9}));
             }),
             "from_tensors: x has 10 rows, y has 9: [10, 2] and [9]");
  EXPECT_HAS(message_of<ShapeError>([] { from_tensors(zeros({}), zeros({1})); }), "x has rank 0");
  EXPECT_HAS(message_of<ShapeError>([] { from_tensors(zeros({1}), zeros({})); }), "y has rank 0");
  message_of<ReleasedError>([] { from_tensors({}, zeros({1})); });
}

TEST(Dataset, OutlivesItsTensors) {
  Dataset d;
  {
    const Tensor x = full({3}, 7);
    d = from_tensors(x, x);
    x.release();
  }
  EXPECT_EQ(x_values<float>(d), (std::vector<float>{7, 7, 7}));
}

}  // namespace
}  // namespace tidepool::inline v0
