// Programs that end, crash, hang, or are not there.
#include "platform/child_process.h"

#include <gtest/gtest.h>
#include <tidepool/error.h>

#include <csignal>
#include <cstdlib>

#include "support/errors.h"

namespace tidepool::inline v0 {
namespace {

using namespace std::chrono_literals;

ChildResult shell(const std::string& line, std::chrono::milliseconds time = 20s) {
  return run_program("/bin/sh", {"-c", line}, {{"TIDEPOOL_TEST_WORD", "new"}}, time);
}

TEST(ChildProcess, GivesItsStatusAndWhatItPrinted) {
  const ChildResult child = shell("echo out; echo error >&2; exit 3");
  EXPECT_EQ(child.status, 3);
  EXPECT_EQ(child.signal, 0);
  EXPECT_FALSE(child.timed_out);
  EXPECT_EQ(child.output, "out\n");
}

TEST(ChildProcess, ReadsMoreThanAPipeHolds) { EXPECT_EQ(shell("head -c 1000000 /dev/zero").output.size(), 1'000'000U); }

TEST(ChildProcess, ReadsWhatItIsGivenAndNothingOtherwise) {
  EXPECT_EQ(run_program("/bin/sh", {"-c", "cat"}, {}, 20s, "a\nb").output, "a\nb");
  EXPECT_EQ(run_program("/bin/sh", {"-c", "wc -c"}, {}, 20s, std::string(1'000'000, 'x')).output, "1000000\n");
  EXPECT_EQ(shell("cat").output, "");
}

TEST(ChildProcess, HasOurEnvironmentWithTheVariablesReplaced) {
  setenv("TIDEPOOL_TEST_WORD", "old", 1);
  setenv("TIDEPOOL_TEST_OTHER", "kept", 1);
  EXPECT_EQ(shell("echo $TIDEPOOL_TEST_WORD $TIDEPOOL_TEST_OTHER").output, "new kept\n");
  unsetenv("TIDEPOOL_TEST_WORD");
  unsetenv("TIDEPOOL_TEST_OTHER");
}

TEST(ChildProcess, ACrashIsASignal) {
  const ChildResult child = shell("echo before; kill -SEGV $$");
  EXPECT_EQ(child.signal, SIGSEGV);
  EXPECT_EQ(child.status, -1);
  EXPECT_EQ(child.output, "before\n");
}

TEST(ChildProcess, IsKilledWhenItsTimeIsOver) {
  const auto start = std::chrono::steady_clock::now();
  const ChildResult child = shell("exec sleep 30", 200ms);
  EXPECT_TRUE(child.timed_out);
  EXPECT_EQ(child.signal, SIGKILL);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 15s);
}

TEST(ChildProcess, AProgramThatIsNotThereIsAnError) {
  EXPECT_HAS(message_of<IoError>([] { run_program("/no/such/program", {}, {}, 1s); }), "/no/such/program: cannot be started");
}

}  // namespace
}  // namespace tidepool::inline v0
