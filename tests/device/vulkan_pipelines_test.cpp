// Pipelines: no more than so many, never one too few.
#ifdef TIDEPOOL_VULKAN

#include "device/vulkan_backend.h"

#include <deque>

namespace tidepool::inline v0 {
namespace {

// Kernels that add a x to y once, twice, three times, …
const KernelDef& times(std::uint32_t rounds) {
  static std::deque<KernelDef>& made = *new std::deque<KernelDef>;
  while (made.size() < rounds) {
    const auto next = static_cast<std::uint32_t>(made.size() + 1);
    made.push_back(repeated_axpy_kernel(0, next));
    kernel_id(made.back());
  }
  return made[rounds - 1];
}

class VulkanPipelines : public testing::Test {
 protected:
  void SetUp() override {
    if (list_vulkan_devices().empty()) GTEST_SKIP() << no_device("vulkan:0");
    instance = vulkan_instance();
    device = std::make_unique<VulkanDevice>(instance, instance->devices()[0]);
    heap = std::make_unique<VulkanHeap>(*device);
    pipelines = std::make_unique<Pipelines>(*device, 2);
    queue = std::make_unique<VulkanQueue>(*device, *pipelines);
    one = filled(1);
    out = filled(0);
  }
  void TearDown() override {
    queue.reset();
    pipelines.reset();
    heap.reset();
    device.reset();
    instance.reset();
    EXPECT_EQ(validation_messages(), 0U);
  }
  Memory* filled(float value) {
    Memory* memory = heap->allocate(sizeof value);
    std::memcpy(memory->host, &value, sizeof value);
    return memory;
  }
  float result() const {
    float value = 0;
    std::memcpy(&value, out->host, sizeof value);
    return value;
  }
  // out = 1 + rounds
  Launch launch(std::uint32_t rounds) const { return axpy_launch(times(rounds), one, one, out, 1); }
  void run(std::uint32_t rounds) {
    queue->record(launch(rounds));
    ASSERT_TRUE(queue->wait(queue->submit_batch(), 60s));
  }

  std::shared_ptr<const VulkanInstance> instance;
  std::unique_ptr<VulkanDevice> device;
  std::unique_ptr<VulkanHeap> heap;
  std::unique_ptr<Pipelines> pipelines;
  std::unique_ptr<VulkanQueue> queue;
  Memory *one = nullptr, *out = nullptr;
};

TEST_F(VulkanPipelines, that_were_evicted_are_made_again_and_there_are_never_more_than_allowed) {
  for (int turn = 0; turn < 3; ++turn)
    for (std::uint32_t rounds = 1; rounds <= 4; ++rounds) {
      run(rounds);
      EXPECT_EQ(result(), static_cast<float>(1 + rounds));
      EXPECT_LE(pipelines->live(), 2U);
    }
}

TEST_F(VulkanPipelines, go_the_least_recently_used_first) {
  run(1);
  const VkPipeline first = (*pipelines)[times(1)].handle;
  run(2);
  run(1);
  run(3);
  EXPECT_EQ((*pipelines)[times(1)].handle, first) << "2 was used longer ago";
}

TEST_F(VulkanPipelines, of_the_open_batch_and_of_work_under_way_stay) {
  for (std::uint32_t rounds = 1; rounds <= 5; ++rounds) queue->record(launch(rounds));
  EXPECT_EQ(pipelines->live(), 5U) << "all are in the open batch";
  const Serial under_way = queue->submit_batch();
  queue->record(launch(6));
  EXPECT_EQ(pipelines->live(), 6U) << "nobody has seen the first batch end";
  ASSERT_TRUE(queue->wait(under_way, 60s));
  EXPECT_EQ(result(), 6);
  queue->record(launch(7));
  EXPECT_EQ(pipelines->live(), 2U) << "the open batch's";
  ASSERT_TRUE(queue->wait(queue->submit_batch(), 60s));
  EXPECT_EQ(result(), 8);
}

TEST_F(VulkanPipelines, of_a_recording_stay_until_it_is_gone) {
  auto recording = std::make_unique<CommandList>(*device, *pipelines);
  recording->begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  for (const std::uint32_t rounds : {1U, 2U, 3U}) recording->add(launch(rounds));
  recording->end();
  for (const std::uint32_t rounds : {4U, 5U, 6U}) run(rounds);
  EXPECT_EQ(pipelines->live(), 4U) << "three of the recording, one of the last batch";
  ASSERT_TRUE(queue->wait(queue->submit(*recording), 60s));
  EXPECT_EQ(result(), 4);
  recording.reset();
  run(7);
  EXPECT_LE(pipelines->live(), 2U);
  EXPECT_EQ(result(), 8);
}

// All of the library above it, which loads each kernel once and for all.
TEST(VulkanPipelinesOfALibrary, are_made_again_under_a_stream_that_takes_them_for_loaded) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  const auto outcome = [] {
    set_default_device(tidepool::device("vulkan:0"));
    manual_seed(1);
    nn::Sequential net(nn::Conv2d(1, 4), nn::ReLU(), nn::Flatten(), nn::Linear(64, 3));
    optim::Adam adam(net.parameters());
    const Tensor x = randn({2, 1, 6, 6}), y = zeros({2, 3});
    const auto step = [&] {
      adam.zero_grad();
      mse_loss(net(x), y).backward();
      adam.step();
    };
    for (int i = 0; i < 3; ++i) step();
    const Plan plan = capture(step);
    for (int i = 0; i < 3; ++i) plan.run();
    step();
    const std::vector<float> after = net(x).to_host<float>();
    set_default_device(tidepool::device("cpu"));
    return after;
  };
  const std::vector<float> plainly = outcome();
  slot_for("vulkan:0").replace_open([] { return open_vulkan(0, 2); });
  reset(tidepool::device("vulkan:0"));
  EXPECT_EQ(outcome(), plainly);
  slot_for("vulkan:0").replace_open([] { return open_vulkan(0); });
  reset(tidepool::device("vulkan:0"));
  EXPECT_EQ(validation_messages(), 0U);
}

}  // namespace
}  // namespace tidepool::inline v0

#endif
