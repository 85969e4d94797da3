// What reports are made of: figures as text, axes and drawings, and the hash that a page's policy names its style by.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "monitor/report/svg.h"
#include "monitor/report/text.h"
#include "platform/bytes.h"
#include "platform/sha256.h"

namespace tidepool::inline v0::monitor {
namespace {

TEST(ReportText, FiguresHaveThreeDigitsAndTheirUnit) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(3.14159), "3.14");
  EXPECT_EQ(number_text(-0.0271828), "-0.0272");
  EXPECT_EQ(number_text(1234567.8), "1,234,568");
  EXPECT_EQ(number_text(-123456), "-123,456");
  EXPECT_EQ(number_text(123), "123");
  EXPECT_EQ(number_text(1.25e-7), "1.25e-7");
  EXPECT_EQ(number_text(1e20), "1.00e20");
  EXPECT_EQ(number_text(std::nan("")), "nan");
  EXPECT_EQ(number_text(0.31416, 4), "0.3142");
  EXPECT_EQ(with_commas(1'000'000), "1,000,000");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas("-123456.7891"), "-123,456.7891");
  EXPECT_EQ(counted(1, "step", "steps"), "1 step");
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(53.7e-9), "53.7 ns");
  EXPECT_EQ(duration_text(12.34e-6), "12.3 µs");
  EXPECT_EQ(duration_text(0.0123), "12.3 ms");
  EXPECT_EQ(duration_text(59.94), "59.9 s");
  EXPECT_EQ(duration_text(59.96), "1 min 0 s");
  EXPECT_EQ(duration_text(250.4), "4 min 10 s");
  EXPECT_EQ(duration_text(3 * 3600 + 59 * 60 + 40), "4 h 0 min");
  EXPECT_EQ(moment_text(0.1), "0.1 s");
  EXPECT_EQ(percent_text(0.1234), "12.3 %");
  EXPECT_EQ(percent_text(-0.0001), "0.0 %");
  EXPECT_EQ(change_text(0.05), "+5.0 %");
  EXPECT_EQ(change_text(-0.05), "-5.0 %");
  EXPECT_EQ(change_text(0.0001), "0.0 %");
}

TEST(ReportText, SharesAddUpAsTheyAreWritten) {
  EXPECT_EQ(shares_text({1.0 / 3, 1.0 / 3, 1.0 / 3}), (std::vector<std::string>{"33.4 %", "33.3 %", "33.3 %"}));
  EXPECT_EQ(shares_text({0.9996, 0.0004}), (std::vector<std::string>{"100.0 %", "0.0 %"}));
  EXPECT_EQ(shares_text({}), std::vector<std::string>{});
}

TEST(ReportText, ForeignWordsComeOnOneLineAndHideNothing) {
  EXPECT_EQ(clean("a\nb\tc"), "a b c");
  EXPECT_EQ(clean("  a  "), "a");
  EXPECT_EQ(clean("user\u202egpj.exe"), "usergpj.exe");
  EXPECT_EQ(clean("a\xff z"), "a\ufffd z");
  EXPECT_EQ(clean("Grüße 語"), "Grüße 語");
  EXPECT_LT(clean(std::string(100'000, 'x')).size(), 500U);
}

Chart chart_of(std::vector<double> values) {
  Chart chart;
  for (std::size_t i = 0; i < values.size(); ++i) chart.times.push_back(static_cast<double>(i));
  chart.series.push_back({.name = "", .values = std::move(values)});
  return chart;
}

TEST(ReportSvg, AxesHoldAllValuesWithRoundTicksAtEqualDistances) {
  EXPECT_EQ(axis_of(chart_of({0.2, 2.6})).ticks, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(axis_of(chart_of({97, 99})).ticks, (std::vector<double>{97, 97.5, 98, 98.5, 99}));
  EXPECT_EQ(axis_of(chart_of({-3, 5})).ticks, (std::vector<double>{-4, -2, 0, 2, 4, 6}));
  EXPECT_EQ(axis_of(chart_of({0, 0})).ticks.front(), 0);
  Chart bytes = chart_of({0, 200 * 1048576.0});
  bytes.unit = 1024;
  EXPECT_EQ(axis_of(bytes).ticks, (std::vector<double>{0, 67108864, 134217728, 201326592, 268435456}));
  Chart wide = chart_of({0.002, 3});
  wide.logarithmic = true;
  const Axis axis = axis_of(wide);
  ASSERT_EQ(axis.ticks.size(), 5U);
  EXPECT_NEAR(axis.ticks[0], 0.001, 1e-15);
  EXPECT_NEAR(axis.place(0.1), 0.5, 1e-12);
  for (const Axis& any :
       {axis_of(chart_of({1e-12})), axis_of(chart_of({std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()})),
        axis_of(chart_of({std::nan("")})), axis_of(chart_of({5, 5, 5}))}) {
    ASSERT_GE(any.ticks.size(), 2U);
    EXPECT_LE(any.ticks.size(), 8U);
    EXPECT_LT(any.low, any.high);
  }
}

TEST(ReportSvg, WhatStandsOutIsDrawnHoweverManySamplesThereAre) {
  std::vector<double> values(10'000, 1.0);
  values[7'123] = 4;
  const Chart chart = chart_of(std::move(values));
  const std::string svg = svg_of(chart, axis_of(chart), "");
  EXPECT_LT(svg.size(), 20'000U);
  EXPECT_NE(svg.find("L712.4 0L"), std::string::npos) << "at its place, and at the top";
}

TEST(ReportSvg, AreasLieOnTopOfEachOther) {
  Chart chart = chart_of({1, 1});
  chart.series.push_back({.name = "", .values = {2, 3}, .colour = 1});
  chart.stacked = true;
  const std::string svg = svg_of(chart, axis_of(chart), "");
  EXPECT_NE(svg.find("<path class=\"area c0\" d=\"M0 225L1000 225L1000 300L0 300Z\"/>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("<path class=\"area c1\" d=\"M0 75L1000 0L1000 225L0 225Z\"/>"), std::string::npos) << svg;
}

TEST(Sha256, GivesTheStandardsDigests) {
  EXPECT_EQ(sha256_base64(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(sha256_base64(std::string(1'000'000, 'a')), "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=");
}

}  // namespace
}  // namespace tidepool::inline v0::monitor
