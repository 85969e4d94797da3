// Medians, percentiles and trends that a few wild values do not move.
#include "monitor/statistics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>

#include "monitor/figures.h"

namespace tidepool::inline v0::monitor {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(Statistics, PercentilesLieOnTheLineBetweenTwoValues) {
  const std::vector<double> values{40, 10, 20, 30};
  EXPECT_DOUBLE_EQ(percentile(values, 0), 10);
  EXPECT_DOUBLE_EQ(percentile(values, 1), 40);
  EXPECT_DOUBLE_EQ(percentile(values, 0.5), 25);
  EXPECT_DOUBLE_EQ(percentile(values, 0.9), 37);
  EXPECT_DOUBLE_EQ(median(values), 25);
  const Distribution sorted(values);
  for (const double p : {0.0, 0.1, 0.33, 0.5, 0.9, 1.0}) EXPECT_DOUBLE_EQ(sorted.at(p), percentile(values, p)) << p;
}

TEST(Statistics, WhatIsNotFiniteIsPassedOverAndOfNothingAllIsZero) {
  const std::vector<double> values{nan, 3, infinite, 1, -infinite, 2};
  EXPECT_DOUBLE_EQ(mean(values), 2);
  EXPECT_DOUBLE_EQ(median(values), 2);
  EXPECT_DOUBLE_EQ(percentile(values, 1), 3);
  EXPECT_DOUBLE_EQ(deviation(values), 1.4826);
  EXPECT_EQ(Distribution(values).size(), 3U);
  const std::vector<double> nothing{nan};
  EXPECT_EQ(mean(nothing), 0);
  EXPECT_EQ(median(nothing), 0);
  EXPECT_EQ(deviation(nothing), 0);
  EXPECT_EQ(Distribution({}).at(0.5), 0);
}

TEST(Statistics, AFigureThatBeginsWithNoNumberHasALeastAndAMost) {
  Figures figures;
  for (const double value : {nan, 3.0, 1.0, infinite, 5.0}) figures.add("some", value);
  figures.add("none", nan);
  const std::map<std::string, FigureSummary> all = figures.summaries();
  EXPECT_EQ(all.at("some").least, 1);
  EXPECT_EQ(all.at("some").most, 5);
  EXPECT_EQ(all.at("some").count, 5U);
  EXPECT_EQ(all.at("none").least, all.at("none").mean);
  EXPECT_EQ(all.at("none").most, all.at("none").mean);
}

TEST(Statistics, TheDeviationIsThatOfTheNoiseWhateverATenthOfTheValuesSays) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(20, 3);
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i) values.push_back(i % 10 == 0 ? 1e6 : noise(random));
  EXPECT_NEAR(median(values), 20, 0.7);
  EXPECT_NEAR(deviation(values), 3, 0.6);
}

TEST(Statistics, AWindowHasTheLastValuesOldestFirst) {
  Window window(5);
  for (int i = 1; i <= 3; ++i) window.add(i);
  EXPECT_EQ(window.size(), 3U);
  EXPECT_EQ(window.values().front(), 1);
  for (int i = 4; i <= 1000; ++i) {
    window.add(i);
    ASSERT_EQ(window.size(), static_cast<std::size_t>(std::min(i, 5)));
    ASSERT_EQ(window.values().back(), i);
    ASSERT_EQ(window.values().front(), std::max(1, i - 4));
  }
  EXPECT_EQ(window.last(2)[0], 999);
  EXPECT_EQ(window.but_last(2).back(), 998);
  window.clear();
  EXPECT_EQ(window.size(), 0U);
}

struct Line {
  std::vector<double> x, y;
};

Line line_with_noise(int count, double slope, double sigma, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, sigma);
  Line line;
  for (int i = 0; i < count; ++i) {
    line.x.push_back(i);
    line.y.push_back(7 + slope * i + noise(random));
  }
  return line;
}

TEST(Statistics, ATrendFindsTheLineUnderWildValues) {
  Line line = line_with_noise(100, 2, 0, 1);
  for (std::size_t i = 3; i < 100; i += 5) line.y[i] = i % 2 ? 1e9 : nan;
  const auto trend = trend_of(line.x, line.y);
  ASSERT_TRUE(trend);
  EXPECT_NEAR(trend->slope, 2, 1e-9);
  EXPECT_NEAR(trend->at(50), 107, 1e-6);
  EXPECT_LE(trend->low, 2);
  EXPECT_GE(trend->high, 2);
}

TEST(Statistics, TheIntervalOfATrendHoldsTheTrueSlopeInNineOfTenCases) {
  for (const int count : {12, 60, 1000}) {
    int holds = 0;
    double width = 0;
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
      const Line line = line_with_noise(count, 0.5, 2, seed);
      const auto trend = trend_of(line.x, line.y);
      ASSERT_TRUE(trend);
      holds += trend->low <= 0.5 && 0.5 <= trend->high ? 1 : 0;
      width += (trend->high - trend->low) / 300;
    }
    EXPECT_GE(holds, 255) << count << " points: " << holds << " of 300";
    EXPECT_LE(holds, 290) << count << " points: " << holds << " of 300; an interval that always holds says nothing";
    // Least squares would have 2 * 1.645 * sigma * sqrt(12 / n^3).
    EXPECT_LT(width, 1.6 * 2 * 1.645 * 2 * std::sqrt(12.0 / std::pow(count, 3))) << count;
  }
}

TEST(Statistics, ThereIsNoTrendThroughTwoPlaces) {
  const std::vector<double> same{1, 1, 1, 1}, y{1, 2, 3, 4};
  EXPECT_FALSE(trend_of(same, y));
  EXPECT_FALSE(trend_of(std::vector<double>{1, 2}, std::vector<double>{1, 2}));
  EXPECT_FALSE(trend_of(std::vector<double>{1, 2, 3}, std::vector<double>{1, nan, 2}));
}

}  // namespace
}  // namespace tidepool::inline v0::monitor
