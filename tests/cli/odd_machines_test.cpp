// Machines that lack what most have: cores, a home, a place to write, /sys, a point in numbers.
#include "cli/tool.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "support/errors.h"

namespace tidepool::inline v0 {
namespace {

bool works(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }  // NOLINT: our own words

class OddMachines : public ToolTest {
 protected:
  // Each of these is what a user would try first.
  void expect_all_works(const std::string& under) {
    Outcome outcome = run("devices --json", "", under);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto devices = nlohmann::json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(devices.is_discarded()) << outcome.out;
    outcome = run("train xor --epochs 500 --json", "", under);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_HAS(outcome.out, "\"loss\":");
  }

  // The shell command in a mount namespace of its own.
  static std::string with_mounts(const std::string& mounts) { return "unshare -m sh -c '" + mounts + " && exec \"$@\"' sh"; }
};

TEST_F(OddMachines, OneCoreIsEnough) {
  if (!works("taskset -c 0 true")) GTEST_SKIP() << "taskset cannot bind to core 0: install util-linux, or allow that core";
  expect_all_works("taskset -c 0");
}

TEST_F(OddMachines, NoHomeIsNeeded) { expect_all_works("env -u HOME -u XDG_CACHE_HOME -u TIDEPOOL_CACHE"); }

TEST_F(OddMachines, AHomeThatIsNoFolderIsNoHarm) { expect_all_works("env -u XDG_CACHE_HOME -u TIDEPOOL_CACHE HOME=/dev/null/nowhere"); }

TEST_F(OddMachines, ASwitchThatCannotBeMeantIsAWarning) {
  const Outcome outcome = run("train xor --epochs 1 --device cpu", "", "env -u TIDEPOOL_LOG TIDEPOOL_ONEDNN=off");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "tidepool: warning: TIDEPOOL_ONEDNN='off' is ignored: wanted 1 or 0\n");
}

TEST_F(OddMachines, ALevelThatIsNoneIsAWarningAlsoWhereNothingElseIsSaid) {
  const Outcome outcome = run("train xor --epochs 1 --device cpu", "", "env TIDEPOOL_LOG=loud");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "tidepool: warning: TIDEPOOL_LOG='loud' is ignored: wanted debug, info, warn, error or off\n");
}

TEST_F(OddMachines, WithoutSysLoadsAreUnknownAndAllElseWorks) {
  if (!works("unshare -m mount -t tmpfs none /sys")) GTEST_SKIP() << "no mount namespaces here: run as root, or allow user namespaces";
  const std::string under = with_mounts("mount -t tmpfs none /sys");
  expect_all_works(under);
  const Outcome doctor = run("doctor", "", under);  // who looks at more of the machine than any other
  EXPECT_EQ(doctor.status, 0) << doctor.err;
}

TEST_F(OddMachines, AReadOnlyFileSystemStopsOnlyWhatWritesThere) {
  const std::string here = path("");
  const std::string mounts = "mount --bind " + here + " " + here + " && mount -o remount,ro,bind " + here + " && cd " + here;
  if (!works("unshare -m sh -c '" + mounts + "'")) GTEST_SKIP() << "no read-only mounts here: run as root, or allow user namespaces";
  const std::string under = "env -u TIDEPOOL_CACHE HOME=" + here + " XDG_CACHE_HOME=" + here + " " + with_mounts(mounts);
  expect_all_works(under);
  for (const char* option : {"--checkpoint run.ckpt", "--save net.safetensors"}) {
    const Outcome outcome = run(std::string("train xor --epochs 20 ") + option, "", under);
    EXPECT_EQ(outcome.status, 1) << option << ": " << outcome.err;
    EXPECT_HAS(outcome.err, "Read-only file system");
    EXPECT_HAS(outcome.err, std::string(option).substr(std::string(option).find(' ') + 1));
  }
}

TEST_F(OddMachines, ALocaleWithACommaChangesNoNumbers) {
  const std::string make = "localedef -i de_DE -f UTF-8 '" + path("de_DE.UTF-8") + "'";
  if (!works(make)) GTEST_SKIP() << "localedef cannot make de_DE.UTF-8: install Debian's package locales";
  const std::string under = "env LOCPATH='" + path("") + "' LC_ALL=de_DE.UTF-8";
  expect_all_works(under);
  const Outcome german = run("train xor --epochs 50 --json", "", under), plain = run("train xor --epochs 50 --json");
  const auto last_loss = [](const std::string& text) { return text.substr(text.rfind("\"loss\":"), 16); };
  EXPECT_EQ(last_loss(german.out), last_loss(plain.out));
}

}  // namespace
}  // namespace tidepool::inline v0
