// The Vulkan backend alone, below pool and stream, with a kernel of the tests' own.
#pragma once

#include "backend/vulkan/vulkan_backend.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backend/vulkan/queue.h"
#include "support/devices.h"

namespace tidepool::inline v0 {

using namespace std::chrono_literals;

inline const std::uint32_t axpy_words[] = {
#include "shaders/axpy.inc"
};

struct AxpyParams {
  Shifts shifts;
  std::uint32_t n;
  float a;
};
static_assert(Params<AxpyParams>);

inline KernelDef axpy_kernel(std::uint32_t id) {
  KernelDef kernel{.name = "axpy", .access = accesses({Access::read, Access::read, Access::write}), .bindings = 3};
  kernel.id = id;
  kernel.spirv = axpy_words;
  return kernel;
}
inline KernelDef repeated_axpy_kernel(std::uint32_t id, std::uint32_t rounds) {
  KernelDef kernel = axpy_kernel(id);
  kernel.constants[0] = rounds;
  kernel.constant_count = 1;
  return kernel;
}
inline const KernelDef axpy = axpy_kernel(1);

inline Binding all_of(Memory* memory, Access access) { return {memory, 0, memory->bytes, access}; }

// z = a x + y over the first n elements, after everything before it.
inline Launch axpy_launch(const KernelDef& kernel, Memory* x, Memory* y, Memory* z, std::uint32_t n, float a = 1.0f) {
  Launch launch{.kernel = &kernel, .binding_count = 3, .param_bytes = sizeof(AxpyParams), .barrier = true, .extent = {n, 1, 1}};
  launch.bindings = {all_of(x, Access::read), all_of(y, Access::read), all_of(z, Access::write)};
  const AxpyParams params{{}, n, a};
  std::memcpy(launch.params.data(), &params, sizeof params);
  return launch;
}

// The ways in which descriptors and bytes can come to a device.
struct Way {
  const char* name;
  bool pushed, staged;
};

class VulkanBackendTest : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (list_vulkan_devices().empty()) GTEST_SKIP() << no_device("vulkan:0");
    open();
  }
  void TearDown() override {
    backend.reset();
    EXPECT_EQ(validation_messages(), 0u);
  }

  void open(std::chrono::nanoseconds patience = 30s) {
    backend.reset();
    ::setenv("TIDEPOOL_VULKAN_NO_PUSH_DESCRIPTOR", GetParam().pushed ? "0" : "1", 1);
    ::setenv("TIDEPOOL_VULKAN_STAGING", GetParam().staged ? "1" : "0", 1);
    backend = open_vulkan(0);
    backend->set_patience(patience);
    ::unsetenv("TIDEPOOL_VULKAN_NO_PUSH_DESCRIPTOR");
    ::unsetenv("TIDEPOOL_VULKAN_STAGING");
    backend->load(axpy);
  }
  Memory* upload(const std::vector<float>& values) {
    Memory* memory = backend->allocate(values.size() * sizeof(float));
    backend->upload(memory, 0, std::as_bytes(std::span(values)));
    return memory;
  }
  Memory* filled(std::size_t n, float value) { return upload(std::vector<float>(n, value)); }
  std::vector<float> download(Memory* memory) {
    std::vector<float> values(memory->bytes / sizeof(float));
    backend->download(memory, 0, std::as_writable_bytes(std::span(values)));
    return values;
  }
  void finish() { ASSERT_TRUE(backend->wait(backend->submit(nullptr), 60s)); }

  std::unique_ptr<Backend> backend;
};

inline std::string name_of_way(const testing::TestParamInfo<Way>& info) { return info.param.name; }
inline constexpr Way pushed{"pushed", true, false}, from_pools{"from_pools", false, false}, staged{"staged", true, true};

}  // namespace tidepool::inline v0
