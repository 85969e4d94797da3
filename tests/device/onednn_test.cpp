// What is kept of oneDNN's primitives.
#include <gtest/gtest.h>

#include <vector>

#include "backend/cpu/onednn_api.h"

#ifdef TIDEPOOL_ONEDNN

namespace tidepool::inline v0 {
namespace {

class OneDnnTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!onednn_.there()) GTEST_SKIP() << "oneDNN is not there: install libdnnl2, and do not set TIDEPOOL_ONEDNN=0";
    workshop_ = onednn_.workshop();
    ASSERT_NE(workshop_, nullptr);
  }

  struct Number final : OneDnn::Workshop::Kept {
    explicit Number(int value) : value(value) {}
    int value;
  };
  // The number that is kept for the key; `made_` counts those that had to be made.
  int number(int key) {
    return workshop_
        ->kept<Number>({key},
                       [&] {
                         ++made_;
                         return std::make_unique<Number>(10 * key);
                       })
        ->value;
  }

  OneDnn onednn_{2};
  OneDnn::Workshop* workshop_ = nullptr;
  int made_ = 0;
};

TEST_F(OneDnnTest, PrimitivesAreMadeOnceAndTheLeastRecentlyUsedGoFirst) {
  constexpr int most = OneDnn::Workshop::most_kept;
  for (int key = 0; key < most; ++key) EXPECT_EQ(number(key), 10 * key);
  EXPECT_EQ(number(0), 0);
  EXPECT_EQ(made_, most);
  number(most);  // 1 goes: 0 was used after it
  EXPECT_EQ(number(0), 0);
  EXPECT_EQ(made_, most + 1);
  EXPECT_EQ(number(1), 10);
  EXPECT_EQ(made_, most + 2);
}

TEST_F(OneDnnTest, WhatCannotBeMadeIsNotTriedAgain) {
  int tries = 0;
  const auto fail = [&]() -> std::unique_ptr<Number> {
    ++tries;
    return nullptr;
  };
  EXPECT_EQ(workshop_->kept<Number>({7}, fail), nullptr);
  EXPECT_EQ(workshop_->kept<Number>({7}, fail), nullptr);
  EXPECT_EQ(tries, 1);
}

TEST_F(OneDnnTest, ScratchGrowsAndStays) {
  void* const large = workshop_->scratch(100'000);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(workshop_->scratch(1000), large);
}

TEST_F(OneDnnTest, MultipliesTransposedMatricesAndAddsToWhatIsThere) {
  const std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 0, 2, 0, 1, 1};  // [3, 2] and [2, 3], both read the other way round
  std::vector<float> c{100, 100, 100, 100};
  Gemm gemm{.a = a.data(), .b = b.data(), .c = c.data(), .m = 2, .n = 2, .k = 3, .transposed_a = true, .transposed_b = true, .add = true};
  ASSERT_TRUE(onednn_.gemm(gemm));
  EXPECT_EQ(c, (std::vector<float>{111, 108, 114, 110}));
  gemm.add = false;
  ASSERT_TRUE(onednn_.gemm(gemm));
  EXPECT_EQ(c, (std::vector<float>{11, 8, 14, 10}));
}

// Whole numbers, so that every order of adding gives the same.
TEST_F(OneDnnTest, LongSumsOverATransposedMatrixAreTheSameAloneAndTogether) {
  for (const std::size_t k : {255U, 256U, 257U, 784U}) {
    for (const std::size_t n : {1U, 10U, 33U}) {
      const std::size_t m = 17;
      std::vector<float> a(m * k), b(n * k), together(m * n + 1, -1.0F), alone(m * n + 1, -1.0F);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
      Gemm gemm{.a = a.data(), .b = b.data(), .c = together.data(), .m = m, .n = n, .k = k, .transposed_b = true};
      for (int twice = 0; twice < 2; ++twice) ASSERT_TRUE(onednn_.gemm(gemm));
      gemm.c = alone.data();
      ASSERT_TRUE(onednn_.gemm(gemm, true));
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          float sum = 0;
          for (std::size_t l = 0; l < k; ++l) sum += a[i * k + l] * b[j * k + l];
          ASSERT_EQ(together[i * n + j], sum) << k << ' ' << i << ' ' << j;
        }
      EXPECT_EQ(together, alone) << k << ' ' << n;  // and nothing behind the result
    }
  }
}

}  // namespace
}  // namespace tidepool::inline v0

#endif
