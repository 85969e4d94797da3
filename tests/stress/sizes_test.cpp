// Sizes around every boundary: vectors, workgroups, tiles, size classes, slabs, and what 32 bits can count. All numbers are whole,
// so that every sum is exact and any order of adding gives the same.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "memory/size_class.h"
#include "platform/system.h"
#include "support/devices.h"

namespace tidepool::stress {
namespace {

class Sizes : public OnEveryDevice {
 protected:
  static std::vector<float> counting(std::int64_t count, int modulus) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(static_cast<int>(i) % modulus - modulus / 2);
    return values;
  }
};
INSTANTIATE_TEST_SUITE_P(On, Sizes, devices_that_compute(), device_name);

// One less, as many, one more.
std::set<std::int64_t> around(std::initializer_list<std::int64_t> sizes) {
  std::set<std::int64_t> all;
  for (const std::int64_t size : sizes)
    for (const std::int64_t off : {-1, 0, 1})
      if (size + off > 0) all.insert(size + off);
  return all;
}

TEST_P(Sizes, AroundWorkgroupsAndVectorsAreAllRight) {
  for (const std::int64_t n : around({4, 8, 16, 32, 64, 128, 192, 256, 512, 1024, 2048, 4096, 65536, 262144})) {
    const std::vector<float> host = counting(n, 13);
    const Tensor x = from_host(host, {n});
    std::vector<float> doubled = host;
    for (float& value : doubled) value *= 2;
    EXPECT_EQ((x + x).to_host<float>(), doubled) << n;
    EXPECT_EQ(sum(x).item(), std::accumulate(host.begin(), host.end(), 0.0F)) << n;
    EXPECT_EQ((max)(x).item(), *std::ranges::max_element(host)) << n;
    EXPECT_EQ(argmax(x, 0).item<std::int32_t>(), std::ranges::max_element(host) - host.begin()) << n;
    EXPECT_EQ(x.slice(n - 1, n).clone().to_host<float>(), std::vector<float>{host.back()}) << n;
    EXPECT_EQ(concat({x, x}, 0).slice(n, 2 * n).clone().to_host<float>(), host) << n;
  }
}

TEST_P(Sizes, OfLinesAroundWorkgroupsReduceRight) {
  for (const std::int64_t n : around({8, 64, 128, 256, 1024, 4096}))
    for (const std::int64_t rows : {1, 3, 65}) {
      if (n * rows > 100'000) continue;
      const std::vector<float> host = counting(rows * n, 11);
      const Tensor x = from_host(host, {rows, n});
      std::vector<float> along(static_cast<std::size_t>(rows), 0.0F), across(static_cast<std::size_t>(n), 0.0F);
      for (std::size_t i = 0; i < host.size(); ++i) {
        along[i / static_cast<std::size_t>(n)] += host[i];
        across[i % static_cast<std::size_t>(n)] += host[i];
      }
      EXPECT_EQ(sum(x, 1).to_host<float>(), along) << rows << " x " << n;
      EXPECT_EQ(sum(x, 0).to_host<float>(), across) << rows << " x " << n;
      EXPECT_EQ(transpose(transpose(x)).to_host<float>(), host) << rows << " x " << n;
      EXPECT_NEAR(sum(softmax(x, 1)).item(), static_cast<float>(rows), 1e-4F * static_cast<float>(rows)) << rows << " x " << n;
    }
}

TEST_P(Sizes, OfMatricesAroundTilesMultiplyRight) {
  const auto product = [](std::int64_t m, std::int64_t k, std::int64_t n) {
    const std::vector<float> a = counting(m * k, 7), b = counting(k * n, 5);
    std::vector<float> wanted(static_cast<std::size_t>(m * n), 0.0F);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t l = 0; l < k; ++l)
        for (std::int64_t j = 0; j < n; ++j)
          wanted[static_cast<std::size_t>(i * n + j)] += a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
    const Tensor x = from_host(a, {m, k}), y = from_host(b, {k, n});
    EXPECT_EQ(matmul(x, y).to_host<float>(), wanted) << m << " x " << k << " x " << n;
    const Tensor transposed = transpose(y);
    EXPECT_EQ(linear(x, transposed).to_host<float>(), wanted) << "linear, " << m << " x " << k << " x " << n;
  };
  for (const std::int64_t edge : around({4, 8, 16, 32, 48, 64, 128})) {
    product(edge, 17, 5);
    product(5, edge, 17);
    product(17, 5, edge);
    if (edge <= 65) product(edge, edge, edge);
  }
}

TEST_P(Sizes, OfChannelsAroundBlocksConvolveRight) {
  for (const std::int64_t channels : around({4, 8, 16, 32})) {
    const std::vector<float> image = counting(channels * 25, 7), weights = counting(2 * channels * 9, 5);
    const Tensor x = from_host(image, {1, channels, 5, 5}), w = from_host(weights, {2, channels, 3, 3});
    std::vector<float> wanted(2 * 25, 0.0F);
    for (std::int64_t out = 0; out < 2; ++out)
      for (std::int64_t y = 0; y < 5; ++y)
        for (std::int64_t column = 0; column < 5; ++column)
          for (std::int64_t c = 0; c < channels; ++c)
            for (std::int64_t tap = 0; tap < 9; ++tap) {
              const std::int64_t from_y = y + tap / 3 - 1, from_x = column + tap % 3 - 1;
              if (from_y < 0 || from_y > 4 || from_x < 0 || from_x > 4) continue;
              wanted[static_cast<std::size_t>(out * 25 + y * 5 + column)] +=
                  image[static_cast<std::size_t>(c * 25 + from_y * 5 + from_x)] *
                  weights[static_cast<std::size_t>((out * channels + c) * 9 + tap)];
            }
    EXPECT_EQ(conv2d(x, w, {}, {.padding = 1}).to_host<float>(), wanted) << channels << " channels";
  }
}

// Neighbours in one slab, or in blocks of the sizes next to each other, never show in each other.
TEST_P(Sizes, AroundEveryClassKeepToThemselves) {
  const std::size_t largest = id() == "cpu" ? 4_MiB : 256_KiB;
  for (std::size_t bytes = 64; bytes <= largest; bytes = bytes < 1024 ? bytes + 64 : bytes + bytes / 8) {
    const auto count = static_cast<std::int64_t>(bytes / 4);
    std::vector<Tensor> tensors;
    for (const std::int64_t off : {-1, 0, 1, 0}) tensors.push_back(full({count + off}, static_cast<float>(tensors.size())));
    for (std::size_t i = 0; i < tensors.size(); ++i)
      ASSERT_EQ(tensors[i].to_host<float>(), std::vector<float>(static_cast<std::size_t>(tensors[i].numel()), static_cast<float>(i)))
          << bytes << " bytes";
  }
}

class Huge : public LibraryTest {
 protected:
  static constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;
};

TEST_F(Huge, MoreElementsThanCanBeCountedAreAClearError) {
  EXPECT_HAS(message_of<ShapeError>([] { zeros({two_to_31, two_to_31, 4}); }), "zeros");
  EXPECT_HAS(message_of<ShapeError>([] { zeros({two_to_31, two_to_31}, {.dtype = DType::u8}); }), "zeros");
  const Tensor one = ones({1, 1});
  EXPECT_HAS(message_of<ShapeError>([&] { broadcast_to(one, {two_to_31 * 4, two_to_31}); }), "broadcast_to");
  EXPECT_EQ(sum(one).item(), 1.0F);
}

TEST_F(Huge, SlowTwoToThe31ElementsWorkOrAreAClearError) {
  if (system_memory().available < 6_GiB) GTEST_SKIP() << "6 GiB of free memory are needed";
  {
    const Tensor many = full({two_to_31}, 3.0F, {.dtype = DType::u8});
    EXPECT_EQ(many.nbytes(), std::size_t{2} << 30);
    EXPECT_EQ(many.slice(two_to_31 - 3, two_to_31).clone().to_host<std::uint8_t>(), (std::vector<std::uint8_t>{3, 3, 3}));
    fill_(many.slice(two_to_31 - 1, two_to_31), 7.0F);
    EXPECT_EQ(many.slice(two_to_31 - 2, two_to_31).clone().to_host<std::uint8_t>(), (std::vector<std::uint8_t>{3, 7}));
    EXPECT_EQ(many.slice(0, 2).to_host<std::uint8_t>(), (std::vector<std::uint8_t>{3, 3}));
    const Tensor rows = many.reshape({two_to_31 / 256, 256});
    EXPECT_EQ(rows.slice(two_to_31 / 256 - 1, two_to_31 / 256).to(DType::f32).to_host<float>().back(), 7.0F);
  }
  cleanup();
  const std::string message = message_of<ShapeError>([] { zeros({std::int64_t{1} << 32}, {.dtype = DType::u8}); });
  EXPECT_HAS(message, "holds at most");
  EXPECT_EQ(memory().live_bytes, 0U);
}

}  // namespace
}  // namespace tidepool::stress
