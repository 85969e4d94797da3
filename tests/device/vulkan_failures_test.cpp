// What the Vulkan backend does when something is wrong: with a request, with the driver, with the device.
#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include "device/vulkan_backend.h"
#include "support/child.h"
#include "support/sanitizers.h"

namespace tidepool::inline v0 {
namespace {

class VulkanFailures : public VulkanBackendTest {};
INSTANTIATE_TEST_SUITE_P(ways, VulkanFailures, testing::Values(pushed, from_pools, staged), name_of_way);

TEST_P(VulkanFailures, a_grid_beyond_the_limits_is_an_error_and_the_batch_goes_on) {
  Memory* x = filled(4, 1);
  Memory* y = filled(4, 0);
  backend->record(axpy_launch(axpy, x, y, y, 4));
  Launch grid = axpy_launch(axpy, x, y, y, 4);
  grid.extent = {4, std::numeric_limits<std::uint32_t>::max(), std::numeric_limits<std::uint32_t>::max()};
  EXPECT_THROW(backend->record(grid), DeviceError);
  finish();
  EXPECT_EQ(download(y), std::vector<float>(4, 1));
}

TEST_P(VulkanFailures, a_batch_whose_first_launch_is_refused_is_none) {
  Memory* x = filled(4, 1);
  Memory* y = filled(4, 0);
  Launch grid = axpy_launch(axpy, x, y, y, 4);
  grid.extent = {4, std::numeric_limits<std::uint32_t>::max(), std::numeric_limits<std::uint32_t>::max()};
  EXPECT_THROW(backend->record(grid), DeviceError);
  const Launch launches[] = {axpy_launch(axpy, x, y, y, 4)};
  const std::unique_ptr<Recording> recording = backend->bake(launches);
  const Serial first = backend->submit(recording.get());  // in debug builds it asserts that no batch is open
  backend->record(axpy_launch(axpy, x, y, y, 4));
  const Serial second = backend->submit(nullptr);
  EXPECT_GT(second, first);
  ASSERT_TRUE(backend->wait(second, 60s));
  EXPECT_EQ(download(y), std::vector<float>(4, 2));
}

TEST_P(VulkanFailures, memory_that_cannot_be_had_is_null_and_the_next_request_works) {
  for (const std::size_t absurd : {std::size_t{1} << 50, SIZE_MAX, SIZE_MAX - 2}) EXPECT_EQ(backend->allocate(absurd), nullptr);
  Memory* x = filled(4, 1);
  Memory* y = filled(4, 1);
  backend->record(axpy_launch(axpy, x, y, y, 4));
  finish();
  EXPECT_EQ(download(y), std::vector<float>(4, 2));
  backend->free(x);
  backend->free(y);
}

// The driver's answers are replaced in the device's own table of functions.
VkResult answer = VK_SUCCESS;
VKAPI_ATTR VkResult VKAPI_CALL fake_allocate(VkDevice, const VkMemoryAllocateInfo*, const VkAllocationCallbacks*, VkDeviceMemory*) {
  return answer;
}
int waits = 0;
VKAPI_ATTR VkResult VKAPI_CALL fake_wait(VkDevice, std::uint32_t, const VkFence*, VkBool32, std::uint64_t) {
  ++waits;
  return VK_ERROR_DEVICE_LOST;
}

TEST_P(VulkanFailures, the_driver_out_of_memory_gives_null_and_any_other_failure_is_named) {
  const auto instance = vulkan_instance();
  VulkanDevice device(instance, instance->devices()[0]);
  VulkanHeap heap(device);
  device.call.vkAllocateMemory = fake_allocate;
  for (const VkResult out : {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_TOO_MANY_OBJECTS}) {
    answer = out;
    EXPECT_EQ(heap.allocate(100), nullptr);
  }
  answer = VK_ERROR_INVALID_EXTERNAL_HANDLE;
  try {
    heap.allocate(100);
    FAIL() << "allocated";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(), "vulkan: vkAllocateMemory gave VK_ERROR_INVALID_EXTERNAL_HANDLE, wanted VK_SUCCESS");
  }
  answer = VK_ERROR_DEVICE_LOST;
  EXPECT_THROW(heap.allocate(100), DeviceLost);
}

TEST_P(VulkanFailures, a_lost_device_names_the_call_and_goes_without_waiting) {
  const auto instance = vulkan_instance();
  VulkanDevice device(instance, instance->devices()[0]);
  VulkanHeap heap(device);
  Pipelines pipelines(device);
  pipelines.load(axpy);
  waits = 0;
  {
    VulkanQueue queue(device, pipelines);
    Memory* x = heap.allocate(16);
    queue.record(axpy_launch(axpy, x, x, x, 4));
    const Serial serial = queue.submit_batch();
    device.call.vkDeviceWaitIdle(device.handle);  // the device is not really lost, so its work has to be over
    device.call.vkWaitForFences = fake_wait;
    try {
      queue.wait(serial, 1s);
      FAIL() << "finished";
    } catch (const DeviceLost& error) {
      EXPECT_NE(std::string(error.what()).find("vkWaitForFences gave VK_ERROR_DEVICE_LOST"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(waits, 1);
}

// As the wait of a process looks that was stopped for longer than the limit.
PFN_vkWaitForFences real_wait = nullptr;
VKAPI_ATTR VkResult VKAPI_CALL late_wait(VkDevice handle, std::uint32_t count, const VkFence* fences, VkBool32 all, std::uint64_t time) {
  return ++waits == 1 ? VK_TIMEOUT : real_wait(handle, count, fences, all, time);
}

TEST_P(VulkanFailures, a_process_that_was_stopped_does_not_lose_its_device) {
  waits = 0;
  const auto instance = vulkan_instance();
  VulkanDevice device(instance, instance->devices()[0]);
  VulkanHeap heap(device);
  Pipelines pipelines(device);
  pipelines.load(axpy);
  auto* x = heap.allocate(16);
  {
    VulkanQueue queue(device, pipelines);
    queue.record(axpy_launch(axpy, x, x, x, 4));
    const Serial serial = queue.submit_batch();
    real_wait = device.call.vkWaitForFences;
    device.call.vkWaitForFences = late_wait;
    EXPECT_TRUE(queue.wait(serial, 10s));
    device.call.vkWaitForFences = real_wait;
  }
  EXPECT_GE(waits, 2);
  heap.free(x);
}

TEST_P(VulkanFailures, an_unknown_shader_is_named) {
  KernelDef unknown{.name = "no_such_kernel", .bindings = 1};
  unknown.id = 2;
  try {
    backend->load(unknown);
    FAIL() << "loaded";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("no_such_kernel"), std::string::npos) << error.what();
  }
}

// Alone: what the work may still use stays for as long as the process does.
TEST_P(VulkanFailures, what_is_under_way_stays_where_every_wait_for_it_fails) {
  if (!is_child()) {
    EXPECT_EQ(run_this_test_again(""), 0);
    return;
  }
  constexpr std::uint32_t many = 1 << 20;
  Memory *x = filled(many, 1), *y = filled(many, 0);
  const std::vector<Launch> launches(50, axpy_launch(axpy, x, y, y, many));
  std::unique_ptr<Recording> recording = backend->bake(launches);
  const Serial serial = backend->submit(recording.get());
  faults::set("VK_ERROR_OUT_OF_HOST_MEMORY@vkWaitForFences:every:1");
  EXPECT_THROW(backend->wait(serial, 60s), DeviceError);
  recording.reset();
  backend.reset();
  faults::set("");
  EXPECT_EQ(validation_messages(), 0U);
}

TEST_P(VulkanFailures, a_device_number_out_of_range_is_named) {
  try {
    open_vulkan(1000);
    FAIL() << "opened";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("1000"), std::string::npos) << error.what();
  }
}

TEST_P(VulkanFailures, the_instance_closes_cleanly_once_no_backend_is_open) {
  if (address_sanitizer)
    GTEST_SKIP() << "closing unloads the driver, whose own leaks can then not be told from ours: run it without the address sanitizer";
  EXPECT_FALSE(close_vulkan_instance());
  auto recording = backend->bake({});
  backend->record(axpy_launch(axpy, filled(4, 1), filled(4, 1), filled(4, 1), 4));
  backend->submit(nullptr);
  backend->record(axpy_launch(axpy, filled(4, 1), filled(4, 1), filled(4, 1), 4));  // left open
  recording.reset();
  backend.reset();
  EXPECT_TRUE(close_vulkan_instance());
  EXPECT_FALSE(list_vulkan_devices().empty());
}

// Where the host can see when work ends.
class VulkanHang : public VulkanBackendTest {};
INSTANTIATE_TEST_SUITE_P(ways, VulkanHang, testing::Values(pushed, from_pools), name_of_way);

// The last of the suite: the VkInstance stays open after it.
TEST_P(VulkanHang, a_device_that_does_not_answer_is_lost_and_does_not_hold_us_up) {
  if (backend->info().kind != "software")
    GTEST_SKIP() << "the slow kernel is not slow enough for a GPU: set VK_DRIVER_FILES to Mesa's lvp_icd.*.json";
  open(50ms);
  const KernelDef slow = repeated_axpy_kernel(2, 60'000);  // Mesa's llvmpipe ends a shader's loops after 65,535 rounds
  backend->load(slow);
  const std::uint32_t n = 1 << 12;
  Memory* x = filled(n, 1);
  Memory* y = filled(n, 0);
  backend->record(axpy_launch(slow, x, y, y, n));
  for (int i = 0; i < 8; ++i) {
    backend->submit(nullptr);
    backend->record(axpy_launch(axpy, x, x, y, 8));
  }
  const auto start = std::chrono::steady_clock::now();
  try {
    backend->submit(nullptr);
    FAIL() << "the ninth submission did not wait";
  } catch (const DeviceLost& error) {
    EXPECT_NE(std::string(error.what()).find("0.05 s"), std::string::npos) << error.what();
  }
  auto* result = reinterpret_cast<float*>(y->host);
  backend.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 500ms);
  // The work goes on in memory that was left to it; let it end before the process does.
  while (std::atomic_ref<float>(*result).load() != 2.0f) std::this_thread::sleep_for(10ms);
  std::this_thread::sleep_for(100ms);
}

}  // namespace
}  // namespace tidepool::inline v0
