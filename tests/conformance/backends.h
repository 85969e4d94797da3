// The backends that conformance is checked on: the CPU as it comes, with one thread, with each older instruction set, and
// the first Vulkan device.
#pragma once

#include <tidepool/tidepool.h>

#include <string>
#include <vector>

#include "support/devices.h"

namespace tidepool::conformance {

struct TestBackend {
  std::string name;    // "cpu", "cpu_1thread", …
  std::string device;  // "cpu" or "vulkan:0"
  int threads = 0;     // 0: as the library opens it
  int instructions = -1;
};

const std::vector<TestBackend>& test_backends();
std::vector<const TestBackend*> backend_pointers();
const TestBackend& plain_cpu();
std::string why_missing(const TestBackend& backend);  // empty when it is there

// While it lives, the backend's device is made of this backend.
class Using {
 public:
  explicit Using(const TestBackend& backend);
  ~Using();
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;
  const Device& device() const { return device_; }

 private:
  const TestBackend& backend_;
  Device device_;
};

// Tests that take a backend, and skip where it is missing.
class BackendTest : public LibraryTest, public testing::WithParamInterface<const TestBackend*> {
 protected:
  void SetUp() override {
    if (const std::string why = why_missing(*GetParam()); !why.empty()) GTEST_SKIP() << why;
    LibraryTest::SetUp();
  }
  void TearDown() override {
    if (!IsSkipped()) LibraryTest::TearDown();
  }
};

}  // namespace tidepool::conformance
