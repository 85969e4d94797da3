// Running one test again in a process of its own: for what is read once in a process, and for what might hang.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace tidepool::inline v0 {

inline bool is_child() { return std::getenv("TIDEPOOL_TEST_CHILD") != nullptr; }

// The current test once more, with these variables set; 0 when it passes there within the time.
inline int run_this_test_again(const std::string& environment, int seconds = 60) {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  // Without the parent's share of the tests, in which this one alone would be none.
  const std::string command = "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX TIDEPOOL_TEST_CHILD=1 " + environment + " timeout " +
                              std::to_string(seconds) + " '" + testing::internal::GetArgvs()[0] + "' --gtest_filter='" +
                              test.test_suite_name() + "." + test.name() + "' >&2";
  return std::system(command.c_str());  // NOLINT: our own program
}

}  // namespace tidepool::inline v0
