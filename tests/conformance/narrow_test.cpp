// Elements of one and two bytes share words with their neighbours: writing one must not change the other.
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "conformance/backends.h"
#include "core/half.h"

namespace tidepool::conformance {
namespace {

class Narrow : public BackendTest {
 protected:
  static std::vector<std::uint8_t> counted(std::size_t count, int first) {
    std::vector<std::uint8_t> values(count);
    std::iota(values.begin(), values.end(), static_cast<std::uint8_t>(first));
    return values;
  }
  static std::int64_t size(std::size_t count) { return static_cast<std::int64_t>(count); }
  // Any bits that a float can have, and those around the border of what f16 can hold.
  static std::vector<float> any_floats() {
    std::mt19937 random(9);
    std::vector<float> values;
    for (int i = 0; i < 60'000; ++i) values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    for (int i = 0; i < 60'000; ++i) values.push_back(std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 48) - 64));
    for (const float border : {65504.0F, 65519.99F, 65520.0F, 0x1p-14F, 0x1p-24F, 0x1p-25F, 0x1.8p-24F, 0x1.000002p-25F})
      for (const float value : {border, std::nextafter(border, 0.0F), std::nextafter(border, 1e9F), -border}) values.push_back(value);
    return values;
  }
};

TEST_P(Narrow, PartsOfABlockAreWrittenWithoutTouchingTheirNeighbours) {
  const Using use(*GetParam());
  for (const DType type : {DType::u8, DType::f16})
    for (std::int64_t begin = 0; begin < 5; ++begin)
      for (std::int64_t end = begin; end < begin + 10; ++end) {
        std::vector<std::uint8_t> wanted = counted(20, 100);
        const Tensor whole = from_host(wanted, {20}, use.device()).to(type);
        const auto count = static_cast<std::size_t>(end - begin);
        copy_(whole.slice(begin, end),
              from_host(counted(count + 1, 7), {end - begin + 1}, use.device()).to(type).slice(1, end - begin + 1));
        for (std::size_t i = 0; i < count; ++i) wanted[static_cast<std::size_t>(begin) + i] = static_cast<std::uint8_t>(8 + i);
        fill_(whole.slice(end + 1, end + 3), 77);
        wanted[static_cast<std::size_t>(end) + 1] = wanted[static_cast<std::size_t>(end) + 2] = 77;
        EXPECT_EQ(whole.to(DType::u8).to_host<std::uint8_t>(), wanted) << name_of(type) << ", [" << begin << ", " << end << ")";
      }
}

TEST_P(Narrow, EveryHalfKeepsItsBitsThroughFloat) {
  const Using use(*GetParam());
  std::vector<float> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = half_to_float(static_cast<std::uint16_t>(i));
  const Tensor halves = from_host(all, {65536}, use.device()).to(DType::f16);
  const std::vector<float> back = halves.to(DType::f32).to_host<float>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::isnan(all[i])) {
      ASSERT_TRUE(std::isnan(back[i])) << i;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(back[i]), std::bit_cast<std::uint32_t>(all[i])) << i;
    }
  }
}

TEST_P(Narrow, FloatsRoundToHalvesAndBytesAsOnTheHost) {
  const Using use(*GetParam());
  const std::vector<float> values = any_floats();
  const Tensor x = from_host(values, {size(values.size())}, use.device());
  const std::vector<float> halves = x.to(DType::f16).to_host<float>();
  const std::vector<std::uint8_t> bytes = x.to(DType::u8).to_host<std::uint8_t>();
  const std::vector<std::int32_t> integers = x.to(DType::i32).to_host<std::int32_t>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float wanted = half_to_float(float_to_half(values[i]));
    ASSERT_TRUE(std::isnan(wanted) ? std::isnan(halves[i])
                                   : std::bit_cast<std::uint32_t>(wanted) == std::bit_cast<std::uint32_t>(halves[i]))
        << values[i] << " became " << halves[i];
    ASSERT_EQ(bytes[i], static_cast<std::uint8_t>(integers[i])) << values[i];
    if (std::abs(values[i]) < 2e9F) {
      ASSERT_EQ(integers[i], static_cast<std::int32_t>(values[i]));
    }
  }
}

TEST_P(Narrow, MoreWordsThanOneRowOfWorkgroupsAreAllWritten) {
  const Using use(*GetParam());
  const std::int64_t count = 17'000'003;  // 65,535 workgroups make 16,776,960 words of bytes
  const Tensor bytes = full({4 * count}, 3, {.dtype = DType::u8, .device = use.device()});
  const std::vector<std::uint8_t> values = bytes.to_host<std::uint8_t>();
  EXPECT_TRUE(std::ranges::all_of(values, [](std::uint8_t value) { return value == 3; }));
}

INSTANTIATE_TEST_SUITE_P(, Narrow, testing::ValuesIn(backend_pointers()), [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace tidepool::conformance
