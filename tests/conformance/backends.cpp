#include "conformance/backends.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/instructions.h"
#include "device/slot.h"
#include "support/devices.h"

namespace tidepool::conformance {

const std::vector<TestBackend>& test_backends() {
  static const std::vector<TestBackend> all = [] {
    std::vector<TestBackend> some{{.name = "cpu", .device = "cpu"},
                                  {.name = "cpu_1thread", .device = "cpu", .threads = 1},
                                  {.name = "cpu_baseline", .device = "cpu", .threads = 2, .instructions = baseline},
                                  {.name = "cpu_avx2", .device = "cpu", .threads = 2, .instructions = avx2},
                                  {.name = "vulkan", .device = "vulkan:0"}};
    // Our own kernels for it, which oneDNN hides elsewhere; few processors have it, and a test for each case would be skipped there.
    if (best_instructions() >= avx512) some.push_back({.name = "cpu_avx512", .device = "cpu", .threads = 2, .instructions = avx512});
    return some;
  }();
  return all;
}

std::vector<const TestBackend*> backend_pointers() {
  std::vector<const TestBackend*> all;
  for (const TestBackend& backend : test_backends()) all.push_back(&backend);
  return all;
}

const TestBackend& plain_cpu() { return test_backends().front(); }

std::string why_missing(const TestBackend& backend) {
  if (backend.instructions > best_instructions())
    return std::string("this processor has no ") + name_of_instructions(backend.instructions) + ": run it on one that has";
  if (!is_there(backend.device)) return no_device(backend.device);
  return "";
}

Using::Using(const TestBackend& backend) : backend_(backend), device_(tidepool::device(backend.device)) {
  if (backend.threads == 0) return;
  device_.slot().replace_open([threads = backend.threads, instructions = backend.instructions] { return open_cpu(threads, instructions); });
  reset(device_);
}

Using::~Using() {
  if (backend_.threads == 0) return;
  device_.slot().replace_open([] { return open_cpu(); });
  reset(device_);
}

}  // namespace tidepool::conformance
