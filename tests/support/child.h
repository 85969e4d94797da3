// Processes that tests make; running one test again in its own: for what is read once in a process, and for what might hang.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include <sys/types.h>

namespace tidepool::inline v0 {

// The process that fork() or forkpty() made. Where there was none its number would be -1, and a signal to that is one to everybody.
inline pid_t started(pid_t child) {
  if (child < 0) throw std::system_error(errno, std::generic_category(), "no process, or no terminal for it (is /dev/pts there?)");
  return child;
}

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
