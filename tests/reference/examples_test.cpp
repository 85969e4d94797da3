// The examples of the documentation are tests, made when the tests are built; these look at what looks at them.
#include "reference/examples.h"

#include <gtest/gtest-spi.h>

namespace tidepool::docs {
namespace {

TEST(DocsExamples, ValuesAreShownAsTheyAreWritten) {
  EXPECT_EQ(shown(tensor({1, 2.5F, -3}, {3})), "{1, 2.5, -3}");
  EXPECT_EQ(shown(argmax(tensor({1, 3, 2}, {1, 3}), 1)), "{1}");
  EXPECT_EQ(shown(gt(tensor({1, 3}, {2}), 2.0F)), "{0, 1}");
  EXPECT_EQ(shown(Shape{2, 3}), "[2, 3]");
  EXPECT_EQ(shown(1.0 / 3), "0.333333");
  EXPECT_EQ(shown(true), "true");
}

TEST(DocsExamples, WhatIsOtherwiseIsFound) {
  EXPECT_NONFATAL_FAILURE(expect_shown("6", "7", "page.md", 1), "page.md:1: says 7, is 6");
  EXPECT_NONFATAL_FAILURE(expect_thrown<ShapeError>([] {}, "", "page.md", 2), "nothing was thrown");
  EXPECT_NONFATAL_FAILURE(expect_thrown<ShapeError>([] { throw ShapeError("matmul", "no"); }, "matmul: yes", "page.md", 3), "matmul: no");
  EXPECT_NONFATAL_FAILURE(expect_thrown<Error>([] { throw ShapeError("matmul", "no"); }, "matmul: no", "page.md", 4), "typeid");
  expect_shown("matmul: no more", "matmul: no…", "page.md", 5);
}

// The pages of which there are most examples; one that loses them all shows here.
TEST(DocsExamples, AreFound) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  EXPECT_GT(all.total_test_count(), 60);
}

}  // namespace
}  // namespace tidepool::docs
