// What the Vulkan backend does, with push descriptors and without, and with memory out of the host's reach.
#include <algorithm>

#include "device/vulkan_backend.h"

namespace tidepool::inline v0 {
namespace {

INSTANTIATE_TEST_SUITE_P(ways, VulkanBackendTest, testing::Values(pushed, from_pools, staged), name_of_way);

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

TEST_P(VulkanBackendTest, memory_is_freed_in_any_order_and_what_is_left_goes_with_the_backend) {
  std::vector<Memory*> all;
  for (std::size_t i = 0; i < 10; ++i) all.push_back(backend->allocate(i));
  for (const std::size_t i : {4u, 9u, 0u, 5u}) backend->free(all[i]);
  EXPECT_GE(all[7]->bytes, 7u);
}

class VulkanPools : public VulkanBackendTest {};
INSTANTIATE_TEST_SUITE_P(ways, VulkanPools, testing::Values(from_pools), name_of_way);

TEST_P(VulkanPools, descriptor_pools_grow_to_the_longest_batch_and_no_further) {
  ::setenv("TIDEPOOL_VULKAN_NO_PUSH_DESCRIPTOR", "1", 1);
  const auto instance = vulkan_instance();
  VulkanDevice device(instance, instance->devices()[0]);
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

}  // namespace
}  // namespace tidepool::inline v0
