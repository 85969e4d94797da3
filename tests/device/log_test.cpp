#include <tidepool/tidepool.h>

#include <gtest/gtest.h>

#include "platform/environment.h"
#include "platform/log.h"
#include "support/environment.h"

#include <string>
#include <utility>
#include <vector>

namespace tidepool {
namespace {

class Log : public testing::Test {
 protected:
  void SetUp() override {
    set_logger([this](LogLevel level, std::string_view message) { told.emplace_back(level, message); });
  }
  void TearDown() override {
    set_logger({});
    set_log_level(LogLevel::warn);
  }
  std::vector<std::pair<LogLevel, std::string>> told;
};

TEST_F(Log, GoesToTheLoggerFromTheLevelOn) {
  log(LogLevel::info, "unheard");
  log(LogLevel::warn, "heard");
  log(LogLevel::error, "heard too");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0], std::pair(LogLevel::warn, std::string("heard")));
  set_log_level(LogLevel::debug);
  log_debug("a ", 1);
  EXPECT_EQ(told.back().second, "a 1");
  set_log_level(LogLevel::off);
  log(LogLevel::error, "nothing");
  EXPECT_EQ(told.size(), 3U);
}

TEST_F(Log, ALoggerMayLogAndThrowAndWhereNoDeviceIsLockedUseTheLibrary) {
  set_logger([this](LogLevel, std::string_view message) {
    told.emplace_back(LogLevel::warn, message);
    if (told.size() == 1) log(LogLevel::warn, "inside");
    EXPECT_EQ(sum(ones({3})).item(), 3.0F);
    throw std::runtime_error("no");
  });
  log(LogLevel::warn, "outside");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[1].second, "inside");
}

TEST_F(Log, IsStandardErrorWithoutALogger) {
  set_logger({});
  testing::internal::CaptureStderr();
  warn_environment("TIDEPOOL_THREADS", "many", "a number from 1 to 1024");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tidepool: warning: TIDEPOOL_THREADS='many' is ignored: wanted a number from 1 to 1024\n");
}

TEST_F(Log, AValueThatASwitchDoesNotKnowIsToldOnceAndIgnored) {
  const Environment staging("TIDEPOOL_VULKAN_STAGING", "yes"), onednn("TIDEPOOL_ONEDNN", "off"), labels("TIDEPOOL_VULKAN_LABELS", "1"),
      zlib("TIDEPOOL_ZLIB", "0"), validation("TIDEPOOL_VALIDATION", "sync");
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(switched_on("TIDEPOOL_VULKAN_STAGING"));
    EXPECT_TRUE(switched_on("TIDEPOOL_ONEDNN", true));
    EXPECT_TRUE(switched_on("TIDEPOOL_VULKAN_LABELS"));
    EXPECT_FALSE(switched_on("TIDEPOOL_ZLIB", true));
    EXPECT_EQ(environment_word("TIDEPOOL_VALIDATION", {"0", "1", "gpu"}), "0");
  }
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].second, "TIDEPOOL_VULKAN_STAGING='yes' is ignored: wanted 0 or 1");
  EXPECT_EQ(told[1].second, "TIDEPOOL_ONEDNN='off' is ignored: wanted 1 or 0");
  EXPECT_EQ(told[2].second, "TIDEPOOL_VALIDATION='sync' is ignored: wanted 0, 1 or gpu");
}

}  // namespace
}  // namespace tidepool
