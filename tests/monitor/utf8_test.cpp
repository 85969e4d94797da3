// Text that may be anything, as UTF-8.
#include "platform/utf8.h"

#include <gtest/gtest.h>

namespace tidepool::inline v0 {
namespace {

const std::string replaced = "\xef\xbf\xbd";

TEST(Utf8, GoodTextIsAsItWas) {
  for (const std::string text : {"", "plain", "ä", "▁▂█", "😀", "\x7f", "\xf4\x8f\xbf\xbf", "\xee\x80\x80"})
    EXPECT_EQ(valid_utf8(text), text);
  std::string_view text = "é▁😀";
  EXPECT_EQ(next_code_point(text), U'é');
  EXPECT_EQ(next_code_point(text), U'▁');
  EXPECT_EQ(next_code_point(text), U'😀');
  EXPECT_TRUE(text.empty());
}

TEST(Utf8, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(valid_utf8("a\xff"), "a" + replaced);
  EXPECT_EQ(valid_utf8("\x80z"), replaced + "z");
  EXPECT_EQ(valid_utf8("\xc3"), replaced) << "cut off";
  EXPECT_EQ(valid_utf8("\xe2\x96"), replaced + replaced);
  EXPECT_EQ(valid_utf8("\xc3("), replaced + "(");
  EXPECT_EQ(valid_utf8("\xc0\xaf"), replaced + replaced) << "longer than need be";
  EXPECT_EQ(valid_utf8("\xe0\x80\xaf"), replaced + replaced + replaced);
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), replaced + replaced + replaced) << "half of a pair";
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), replaced + replaced + replaced + replaced) << "past the end";
}

}  // namespace
}  // namespace tidepool::inline v0
