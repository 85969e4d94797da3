// The Vulkan backend alone, below pool and stream. Every test runs with push descriptors and without.
#include "backend/vulkan/vulkan_backend.h"

#include <tidepool/error.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "backend/vulkan/queue.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

using namespace std::chrono_literals;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitizer = true;
#elif defined(__has_feature)
constexpr bool address_sanitizer = __has_feature(address_sanitizer);
#else
constexpr bool address_sanitizer = false;
#endif

const std::uint32_t axpy_words[] = {
#include "shaders/axpy.inc"
};

struct AxpyParams {
  Shifts shifts;
  std::uint32_t n;
  float a;
};
static_assert(Params<AxpyParams>);

KernelDef axpy_kernel(std::uint32_t id) {
  KernelDef kernel{.name = "axpy", .access = accesses({Access::read, Access::read, Access::write}), .bindings = 3};
  kernel.id = id;
  kernel.spirv = axpy_words;
  return kernel;
}
KernelDef repeated_axpy_kernel(std::uint32_t id, std::uint32_t rounds) {
  KernelDef kernel = axpy_kernel(id);
  kernel.constants[0] = rounds;
  kernel.constant_count = 1;
  return kernel;
}
const KernelDef axpy = axpy_kernel(1);

Binding all_of(Memory* memory, Access access) { return {memory, 0, memory->bytes, access}; }

// z = a x + y over the first n elements, after everything before it.
Launch axpy_launch(const KernelDef& kernel, Memory* x, Memory* y, Memory* z, std::uint32_t n, float a = 1.0f) {
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
    backend = open_vulkan(0, patience);
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

INSTANTIATE_TEST_SUITE_P(ways, VulkanBackendTest,
                         testing::Values(Way{"pushed", true, false}, Way{"from_pools", false, false}, Way{"staged", true, true}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(VulkanBackendTest, tells_what_the_device_is_and_what_it_allows) {
  const BackendInfo info = backend->info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.driver.empty());
  const auto kinds = {"discrete", "integrated", "virtual", "software"};
  EXPECT_NE(std::ranges::find(kinds, info.kind), kinds.end()) << info.kind;
  EXPECT_GT(info.memory_total, 0u);
  EXPECT_LE(info.memory_free, info.memory_total);
  EXPECT_GE(info.offset_alignment, 16u);
  EXPECT_LE(info.offset_alignment, 256u);
  EXPECT_GE(info.max_binding_bytes, std::size_t{1} << 27);  // what Vulkan guarantees
}

TEST_P(VulkanBackendTest, a_launch_adds_two_buffers) {
  Memory* x = upload({1, 2, 3, 4, 5});
  Memory* y = upload({10, 20, 30, 40, 50});
  Memory* z = filled(5, -1);
  backend->record(axpy_launch(axpy, x, y, z, 5, 2.0f));
  finish();
  EXPECT_EQ(download(z), (std::vector<float>{12, 24, 36, 48, 60}));
}

TEST_P(VulkanBackendTest, bytes_come_and_go_whole_at_any_offset_and_size) {
  EXPECT_EQ(backend->allocate(16)->host == nullptr, GetParam().staged);
  const std::size_t most = (std::size_t{9} << 20) + 13;  // more than all that is staged at once
  std::vector<std::byte> sent(most);
  for (std::size_t i = 0; i < most; ++i) sent[i] = static_cast<std::byte>(i * 31 + i / 257);
  Memory* memory = backend->allocate(most);
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{4097}, (std::size_t{2} << 20) + 1, most - 5}) {
    const std::size_t offset = bytes % 6;
    std::vector<std::byte> got(bytes);
    backend->upload(memory, offset, std::span(sent).first(bytes));
    backend->download(memory, offset, got);
    EXPECT_TRUE(std::ranges::equal(got, std::span(sent).first(bytes))) << bytes << " bytes";
  }
  backend->free(memory);
}

TEST_P(VulkanBackendTest, an_upload_is_seen_by_what_is_launched_after_it_and_not_before) {
  Memory *x = filled(3000, 1), *y = filled(3000, 0), *z = filled(3000, 0);
  for (int round = 0; round < 30; ++round) {
    const std::vector<float> values(3000, static_cast<float>(round));
    backend->upload(y, 0, std::as_bytes(std::span(values)));
    backend->record(axpy_launch(axpy, x, y, z, 3000));
    finish();
    EXPECT_EQ(download(z), std::vector<float>(3000, static_cast<float>(round + 1)));
  }
}

TEST_P(VulkanBackendTest, a_launch_touches_no_more_than_its_extent_and_starts_at_its_offsets) {
  const auto step = static_cast<std::uint32_t>(backend->info().offset_alignment / sizeof(float));
  std::vector<float> values(2 * step);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  Memory* x = upload(values);
  Memory* z = filled(2 * step, -1);
  Launch launch = axpy_launch(axpy, x, x, z, 3);
  for (Binding& b : std::span(launch.bindings).first(3)) b.offset = step * sizeof(float), b.bytes = 3 * sizeof(float);
  backend->record(launch);
  finish();
  std::vector<float> wanted(2 * step, -1);
  for (std::size_t i = step; i < step + 3; ++i) wanted[i] = 2 * values[i];
  EXPECT_EQ(download(z), wanted);
}

TEST_P(VulkanBackendTest, a_chain_of_1000_dependent_launches_is_exact) {
  Memory* x = upload(std::vector<float>{1, 2, 3});
  Memory* even = filled(3, 0);
  Memory* odd = filled(3, 0);
  for (int i = 0; i < 1000; ++i) {
    backend->record(axpy_launch(axpy, x, i % 2 ? odd : even, i % 2 ? even : odd, 3));
    if (i % 100 == 99) backend->submit(nullptr);  // what one batch wrote, the next reads
  }
  finish();
  EXPECT_EQ(download(even), (std::vector<float>{1000, 2000, 3000}));
}

TEST_P(VulkanBackendTest, a_recording_can_be_replayed_100_times_without_waiting) {
  Memory* x = filled(100, 1);
  Memory* y = filled(100, 0);
  const std::vector<Launch> launches(3, axpy_launch(axpy, x, y, y, 100));
  const auto recording = backend->bake(launches);
  Serial last = 0;
  for (int i = 0; i < 100; ++i) {
    const Serial serial = backend->submit(recording.get());
    EXPECT_EQ(serial, last + 1);
    last = serial;
  }
  ASSERT_TRUE(backend->wait(last, 60s));
  EXPECT_EQ(download(y), std::vector<float>(100, 300));
}

TEST_P(VulkanBackendTest, a_recording_can_be_baked_while_a_batch_is_open) {
  Memory* x = filled(4, 1);
  Memory* y = filled(4, 0);
  const Launch launch = axpy_launch(axpy, x, y, y, 4);
  backend->record(launch);
  const auto recording = backend->bake({&launch, 1});
  backend->record(launch);
  backend->submit(nullptr);
  ASSERT_TRUE(backend->wait(backend->submit(recording.get()), 60s));
  EXPECT_EQ(download(y), std::vector<float>(4, 3));
}

TEST_P(VulkanBackendTest, hundreds_of_small_batches_reuse_the_same_slots) {
  Memory* x = filled(10, 1);
  Memory* y = filled(10, 0);
  for (Serial i = 1; i <= 300; ++i) {
    backend->record(axpy_launch(axpy, x, y, y, 10));
    EXPECT_EQ(backend->submit(nullptr), i);
    if (i > 8) {
      EXPECT_TRUE(backend->wait(i - 8, 0ns));  // at most 8 are ever unfinished
    }
  }
  finish();
  EXPECT_EQ(download(y), std::vector<float>(10, 300));
}

TEST_P(VulkanBackendTest, descriptor_pools_grow_to_the_longest_batch_and_no_further) {
  if (GetParam().pushed) GTEST_SKIP() << "pushed descriptors need no pools";
  ::setenv("TIDEPOOL_VULKAN_NO_PUSH_DESCRIPTOR", "1", 1);
  const auto instance = vulkan_instance();
  VulkanDevice device(instance, instance->devices()[0], 30s);
  ::unsetenv("TIDEPOOL_VULKAN_NO_PUSH_DESCRIPTOR");
  Pipelines pipelines(device);
  pipelines.load(axpy);
  DescriptorSets sets(device);
  for (const int taken : {300, 10, 300}) {
    for (int i = 0; i < taken; ++i) EXPECT_NE(sets.take(pipelines[axpy].set), VkDescriptorSet{});
    EXPECT_EQ(sets.pools(), 2u);
    sets.reset();
  }
}

TEST_P(VulkanBackendTest, submitting_nothing_gives_the_last_serial) {
  EXPECT_EQ(backend->submit(nullptr), 0u);
  EXPECT_TRUE(backend->wait(0, 0ns));
  Memory* x = filled(4, 1);
  backend->record(axpy_launch(axpy, x, x, x, 4));
  EXPECT_EQ(backend->submit(nullptr), 1u);
  EXPECT_EQ(backend->submit(nullptr), 1u);
  Launch none = axpy_launch(axpy, x, x, x, 4);
  none.extent.y = 0;
  backend->record(none);
  EXPECT_EQ(backend->submit(nullptr), 1u);
  EXPECT_TRUE(backend->wait(1, 60s));
}

// Synchronization validation sees to it: with the empty launch's barrier lost, the last one reads what is being written.
TEST_P(VulkanBackendTest, a_launch_without_work_passes_its_barrier_on) {
  Memory* x = filled(4, 1);
  Memory* y = filled(4, 0);
  Memory* z = filled(4, 0);
  backend->record(axpy_launch(axpy, x, x, y, 4));
  Launch none = axpy_launch(axpy, x, y, z, 4);
  none.extent.x = 0;
  backend->record(none);
  Launch reader = axpy_launch(axpy, x, y, z, 4);
  reader.barrier = false;
  backend->record(reader);
  finish();
  EXPECT_EQ(download(z), std::vector<float>(4, 3));
}

TEST_P(VulkanBackendTest, a_line_of_more_than_65535_groups_is_folded) {
  const std::uint32_t n = 64 * 65535 * 2 + 77;
  Memory* x = filled(n, 1);
  Memory* y = filled(n, 2);
  backend->record(axpy_launch(axpy, x, y, y, n));
  finish();
  const auto values = download(y);
  EXPECT_EQ(std::ranges::count(values, 3.0f), static_cast<std::ptrdiff_t>(n));
}

TEST_P(VulkanBackendTest, a_grid_beyond_the_limits_is_an_error_and_the_batch_goes_on) {
  Memory* x = filled(4, 1);
  Memory* y = filled(4, 0);
  backend->record(axpy_launch(axpy, x, y, y, 4));
  Launch grid = axpy_launch(axpy, x, y, y, 4);
  grid.extent = {4, std::numeric_limits<std::uint32_t>::max(), std::numeric_limits<std::uint32_t>::max()};
  EXPECT_THROW(backend->record(grid), DeviceError);
  finish();
  EXPECT_EQ(download(y), std::vector<float>(4, 1));
}

TEST_P(VulkanBackendTest, specialization_constants_reach_the_shader) {
  const KernelDef thrice = repeated_axpy_kernel(7, 3);  // ids may leave gaps
  backend->load(thrice);
  Memory* x = filled(4, 1);
  Memory* y = filled(4, 0);
  backend->record(axpy_launch(thrice, x, y, y, 4, 2.0f));
  backend->record(axpy_launch(axpy, x, y, y, 4, 2.0f));
  finish();
  EXPECT_EQ(download(y), std::vector<float>(4, 8));
}

TEST_P(VulkanBackendTest, memory_that_cannot_be_had_is_null_and_the_next_request_works) {
  for (const std::size_t absurd : {std::size_t{1} << 50, SIZE_MAX, SIZE_MAX - 2}) EXPECT_EQ(backend->allocate(absurd), nullptr);
  Memory* x = filled(4, 1);
  Memory* y = filled(4, 1);
  backend->record(axpy_launch(axpy, x, y, y, 4));
  finish();
  EXPECT_EQ(download(y), std::vector<float>(4, 2));
  backend->free(x);
  backend->free(y);
}

TEST_P(VulkanBackendTest, memory_is_freed_in_any_order_and_what_is_left_goes_with_the_backend) {
  std::vector<Memory*> all;
  for (std::size_t i = 0; i < 10; ++i) all.push_back(backend->allocate(i));
  for (const std::size_t i : {4u, 9u, 0u, 5u}) backend->free(all[i]);
  EXPECT_GE(all[7]->bytes, 7u);
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

TEST_P(VulkanBackendTest, the_driver_out_of_memory_gives_null_and_any_other_failure_is_named) {
  const auto instance = vulkan_instance();
  VulkanDevice device(instance, instance->devices()[0], 30s);
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

TEST_P(VulkanBackendTest, a_lost_device_names_the_call_and_goes_without_waiting) {
  const auto instance = vulkan_instance();
  VulkanDevice device(instance, instance->devices()[0], 30s);
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

TEST_P(VulkanBackendTest, an_unknown_shader_is_named) {
  KernelDef unknown{.name = "no_such_kernel", .bindings = 1};
  unknown.id = 2;
  try {
    backend->load(unknown);
    FAIL() << "loaded";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("no_such_kernel"), std::string::npos) << error.what();
  }
}

TEST_P(VulkanBackendTest, a_device_number_out_of_range_is_named) {
  try {
    open_vulkan(1000);
    FAIL() << "opened";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("1000"), std::string::npos) << error.what();
  }
}

TEST_P(VulkanBackendTest, two_devices_open_at_once_work_side_by_side) {
  const auto other = open_vulkan(0);
  other->load(axpy);
  Memory* theirs = other->allocate(16);
  std::memset(theirs->host, 0, 16);
  other->record(axpy_launch(axpy, theirs, theirs, theirs, 4));
  Memory* ours = filled(4, 1);
  backend->record(axpy_launch(axpy, ours, ours, ours, 4));
  EXPECT_TRUE(other->wait(other->submit(nullptr), 60s));
  finish();
  EXPECT_EQ(download(ours), std::vector<float>(4, 2));
}

TEST_P(VulkanBackendTest, the_instance_closes_cleanly_once_no_backend_is_open) {
  if (address_sanitizer) GTEST_SKIP() << "closing unloads the driver, whose own leaks can then not be told from ours";
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

// The last of the suite: the VkInstance stays open after it.
TEST_P(VulkanBackendTest, a_device_that_does_not_answer_is_lost_and_does_not_hold_us_up) {
  if (GetParam().staged) GTEST_SKIP() << "the host cannot see when work ends in memory out of its reach; the other ways are tested";
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
