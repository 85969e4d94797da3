#include "memory/size_class.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace tidepool::inline v0 {
namespace {

constexpr std::size_t KiB = 1 << 10, MiB = 1 << 20;

static_assert(SizeClass::classes == 22);
static_assert(SizeClass::smallest << (SizeClass::classes - 1) == SizeClass::largest);
static_assert(size_class(1, 64).bytes == 64 && size_class(65, 64).bytes == 128,
              "class arithmetic is bit arithmetic, done in constants too");

class SizeClassTest : public testing::TestWithParam<std::size_t> {
 protected:
  const std::size_t alignment = GetParam();

  // Every size that a block can have, from the definition: each class of 2^n is cut into 16 steps, none smaller than the
  // alignment.
  std::vector<std::size_t> all_sizes() const {
    std::vector<std::size_t> sizes;
    for (std::size_t power = std::max(SizeClass::smallest, alignment); power < SizeClass::largest; power *= 2)
      for (std::size_t size = power; size < 2 * power; size += std::max(power / 16, alignment)) sizes.push_back(size);
    sizes.push_back(SizeClass::largest);
    return sizes;
  }
};

TEST_P(SizeClassTest, RoundsUpToTheNextStepAroundEveryBoundary) {
  const auto sizes = all_sizes();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t n = sizes[i];
    EXPECT_EQ(size_class(n, alignment).bytes, n);
    EXPECT_EQ(size_class(n - 1, alignment).bytes, n);
    if (i + 1 < sizes.size()) {
      EXPECT_EQ(size_class(n + 1, alignment).bytes, sizes[i + 1]) << n;
    }
  }
}

TEST_P(SizeClassTest, PutsEverySizeIntoABinOfItsOwnInTheRightClass) {
  std::map<std::uint32_t, std::size_t> size_of_bin;
  for (const std::size_t n : all_sizes()) {
    const SizeClass at = size_class(n, alignment);
    EXPECT_LT(at.bin, SizeClass::exact);
    EXPECT_TRUE(size_of_bin.emplace(at.bin, n).second) << n << " shares a bin with " << size_of_bin[at.bin];
    const std::size_t base = SizeClass::smallest << at.index();
    EXPECT_TRUE(n >= base && n < 2 * base) << n << " is in class " << at.index();
    for (const std::size_t asked : {n - 1, n}) EXPECT_EQ(size_class(asked, alignment).bin, at.bin) << asked;
  }
}

TEST_P(SizeClassTest, WastesAtMostASixteenthOrOneAlignment) {
  const auto check = [this](std::size_t n) {
    const SizeClass at = size_class(n, alignment);
    ASSERT_GE(at.bytes, n);
    ASSERT_EQ(at.bytes % alignment, 0U) << n;
    ASSERT_LT(at.bytes - n, std::max(n / 16 + 1, alignment)) << n;
    ASSERT_LE(at.bytes, size_class(n + 1, alignment).bytes) << "a larger request got a smaller block";
  };
  for (std::size_t n = 1; n <= 64 * KiB; ++n) check(n);
  for (std::size_t n = 64 * KiB; n < 130 * MiB; n += 997) check(n);
}

TEST_P(SizeClassTest, GivesTheSmallestBlockForNothing) {
  EXPECT_EQ(size_class(0, alignment).bytes, std::max(SizeClass::smallest, alignment));
  EXPECT_EQ(size_class(0, alignment).bin, size_class(1, alignment).bin);
}

TEST_P(SizeClassTest, IsExactAboveTheLargestClass) {
  EXPECT_NE(size_class(SizeClass::largest, alignment).bin, SizeClass::exact);
  for (const std::size_t n : {SizeClass::largest + 1, SizeClass::largest + alignment, 200 * MiB + 3, 4096 * MiB, 5000 * MiB + 1}) {
    const SizeClass at = size_class(n, alignment);
    EXPECT_EQ(at.bin, SizeClass::exact);
    EXPECT_EQ(at.index(), SizeClass::classes);
    EXPECT_EQ(at.bytes, (n + alignment - 1) / alignment * alignment) << "exact but for the alignment";
  }
}

INSTANTIATE_TEST_SUITE_P(Alignment, SizeClassTest, testing::Values(64, 128, 256),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace tidepool::inline v0
