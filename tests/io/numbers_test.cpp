// Numbers as files have them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "io/numbers.h"

namespace tidepool::inline v0 {
namespace {

template <class T>
std::vector<std::byte> bytes_of(T value, ByteOrder order) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  if (order == ByteOrder::big) std::ranges::reverse(bytes);
  return {bytes.begin(), bytes.end()};
}

constexpr ByteOrder both[] = {ByteOrder::little, ByteOrder::big};
constexpr float none = -1234.5F;

// The one number as a float; `none` where it does not fit.
template <class T>
float as_float(Number number, T value, ByteOrder order) {
  float result = 0;
  const auto bytes = bytes_of(value, order);
  EXPECT_EQ(bytes.size(), size_of(number));
  const auto odd = to_floats(number, order, bytes.data(), std::span(&result, 1));
  EXPECT_TRUE(!odd || *odd == 0);
  return odd ? none : result;
}
template <class T>
std::int64_t as_integer(Number number, T value, ByteOrder order) {
  std::int32_t result = 0;
  const auto odd = to_integers(number, order, bytes_of(value, order).data(), std::span(&result, 1));
  return odd ? std::int64_t{1} << 40 : result;
}

TEST(Numbers, OfEveryTypeAndOrderBecomeFloats) {
  for (const ByteOrder order : both) {
    EXPECT_EQ(as_float(Number::boolean, std::uint8_t{7}, order), 1.0F);
    EXPECT_EQ(as_float(Number::u8, std::uint8_t{200}, order), 200.0F);
    EXPECT_EQ(as_float(Number::u16, std::uint16_t{60000}, order), 60000.0F);
    EXPECT_EQ(as_float(Number::u32, std::uint32_t{1} << 31, order), 0x1p31F);
    EXPECT_EQ(as_float(Number::u64, std::uint64_t{1} << 63, order), 0x1p63F);
    EXPECT_EQ(as_float(Number::i8, std::int8_t{-7}, order), -7.0F);
    EXPECT_EQ(as_float(Number::i16, std::int16_t{-300}, order), -300.0F);
    EXPECT_EQ(as_float(Number::i32, std::int32_t{1 << 20}, order), 1048576.0F);
    EXPECT_EQ(as_float(Number::i64, std::int64_t{1} << 40, order), 0x1p40F);
    EXPECT_EQ(as_float(Number::f16, std::uint16_t{0xc100}, order), -2.5F);
    EXPECT_EQ(as_float(Number::bf16, std::uint16_t{0xc020}, order), -2.5F);
    EXPECT_EQ(as_float(Number::f32, -2.5F, order), -2.5F);
    EXPECT_EQ(as_float(Number::f64, 0.1, order), 0.1F);
    EXPECT_EQ(as_float(Number::f64, 1e39, order), none) << "too large for a float";
    EXPECT_EQ(as_float(Number::f64, std::numeric_limits<double>::infinity(), order), std::numeric_limits<float>::infinity());
  }
}

TEST(Numbers, ThatAreWholeBecomeIntegers) {
  constexpr std::int64_t too_large = std::int64_t{1} << 40;
  for (const ByteOrder order : both) {
    EXPECT_EQ(as_integer(Number::boolean, std::uint8_t{7}, order), 1);
    EXPECT_EQ(as_integer(Number::u8, std::uint8_t{200}, order), 200);
    EXPECT_EQ(as_integer(Number::u16, std::uint16_t{60000}, order), 60000);
    EXPECT_EQ(as_integer(Number::u32, std::uint32_t{5}, order), 5);
    EXPECT_EQ(as_integer(Number::u32, std::uint32_t{1} << 31, order), too_large);
    EXPECT_EQ(as_integer(Number::u64, std::uint64_t{5}, order), 5);
    EXPECT_EQ(as_integer(Number::u64, std::numeric_limits<std::uint64_t>::max(), order), too_large);
    EXPECT_EQ(as_integer(Number::i8, std::int8_t{-7}, order), -7);
    EXPECT_EQ(as_integer(Number::i16, std::int16_t{-300}, order), -300);
    EXPECT_EQ(as_integer(Number::i32, std::numeric_limits<std::int32_t>::min(), order), std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(as_integer(Number::i64, std::int64_t{5}, order), 5);
    EXPECT_EQ(as_integer(Number::i64, std::int64_t{1} << 31, order), too_large);
  }
}

TEST(Numbers, TheFirstThatDoesNotFitIsNamed) {
  std::vector<std::byte> bytes;
  for (const double value : {1.0, 2.0, 1e300, 1e300})
    for (const std::byte byte : bytes_of(value, ByteOrder::little)) bytes.push_back(byte);
  std::array<float, 4> values{};
  EXPECT_EQ(to_floats(Number::f64, ByteOrder::little, bytes.data(), values), 2U);
  EXPECT_EQ(values[1], 2.0F);
}

}  // namespace
}  // namespace tidepool::inline v0
