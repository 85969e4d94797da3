// The examples in C and in Python, as programs of their own.
#include <gtest/gtest.h>

#include "support/devices.h"

#include <cstdlib>
#include <string>

namespace tidepool::inline v0 {
namespace {

class CExample : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(GetParam()); }
  static int run(const std::string& command, const std::string& environment = "") {
    return std::system(
        ("TIDEPOOL_DEVICE=" + std::string(GetParam()) + " " + environment + " timeout 60 " + command + " >&2").c_str());  // NOLINT
  }
};
INSTANTIATE_TEST_SUITE_P(On, CExample, devices_that_compute(), device_name);

TEST_P(CExample, XorInCLearnsByCallsAndByAPlan) { EXPECT_EQ(run("'" TIDEPOOL_XOR_C "'"), 0); }

TEST_P(CExample, XorInCEndsWithAMessageWhenTheDeviceIsLost) {
  EXPECT_EQ(run("'" TIDEPOOL_XOR_C "'", "TIDEPOOL_FAULT=device_lost@launch:100"), 256) << "exit status 1";
}

#ifdef TIDEPOOL_PYTHON
TEST_P(CExample, XorLearnsFromPythonThroughTheSharedLibrary) {
  EXPECT_EQ(run("'" TIDEPOOL_PYTHON "' '" TIDEPOOL_SOURCE_DIR "/examples/xor_ctypes.py' '" TIDEPOOL_SHARED_LIBRARY "'"), 0);
}
#endif

}  // namespace
}  // namespace tidepool::inline v0
