// Opening a Vulkan device and training on it, with every call of Vulkan failing in turn: right in the end, or an error of our own.
#include <array>
#include <cstdio>
#include <cstdlib>

#include "train/fault_runs.h"

namespace tidepool::inline v0 {
namespace {

constexpr std::array calls = {"vkAllocateCommandBuffers",
                              "vkAllocateDescriptorSets",
                              "vkAllocateMemory",
                              "vkBeginCommandBuffer",
                              "vkBindBufferMemory",
                              "vkCreateBuffer",
                              "vkCreateCommandPool",
                              "vkCreateComputePipelines",
                              "vkCreateDescriptorPool",
                              "vkCreateDescriptorSetLayout",
                              "vkCreateDevice",
                              "vkCreateFence",
                              "vkCreatePipelineCache",
                              "vkCreatePipelineLayout",
                              "vkCreateShaderModule",
                              "vkEndCommandBuffer",
                              "vkGetFenceStatus",
                              "vkMapMemory",
                              "vkQueueSubmit",
                              "vkResetCommandPool",
                              "vkResetDescriptorPool",
                              "vkResetFences",
                              "vkWaitForFences"};
constexpr std::array results = {"VK_ERROR_DEVICE_LOST", "VK_ERROR_OUT_OF_DEVICE_MEMORY", "VK_ERROR_OUT_OF_HOST_MEMORY"};

class VulkanCallSweep : public TrainTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_DEVICE("vulkan:0");
    TrainTest::SetUp();
    set_log_level(LogLevel::off);
    if (GetParam()) ::setenv("TIDEPOOL_VULKAN_NO_PUSH_DESCRIPTOR", "1", 1);
    if (GetParam()) ::setenv("TIDEPOOL_VULKAN_STAGING", "1", 1);
  }
  void TearDown() override {
    ::unsetenv("TIDEPOOL_VULKAN_NO_PUSH_DESCRIPTOR");
    ::unsetenv("TIDEPOOL_VULKAN_STAGING");
    set_log_level(LogLevel::warn);
    if (!IsSkipped()) TrainTest::TearDown();
  }

  // From a closed device on; the weights at the end.
  static Weights train() {
    manual_seed(3);
    nn::Sequential net{nn::Linear(2, 8), nn::Tanh(), nn::Linear(8, 1)};
    optim::Adam opt(net.parameters(), {.lr = 0.05});
    Trainer trainer(net, opt, mse_loss, {.epochs = 12, .batch = 4, .snapshot_every = 5, .shuffle = false, .snapshot_share = 1});
    const data::Dataset four = data::from_tensors(tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), tensor({0, 1, 1, 0}, {4, 1}));
    trainer.fit(four);
    Weights bits;
    for (const Tensor& parameter : net.parameters()) bits.push_back(parameter.to_host<float>());
    return bits;
  }
  static void close_device() {
    faults::set("");
    set_default_device(device("vulkan:0"));
    reset(device("vulkan:0"));
    cleanup();
    ASSERT_EQ(device("vulkan:0").slot().stream_if_open(), nullptr);
  }

  // Of the places where a call is made at most so many; all results at each, or one after the other.
  static void sweep(std::int64_t most, bool all_results) {
    close_device();
    faults::count();
    const Weights wanted = train();
    std::map<std::string, std::int64_t> places;
    for (const char* call : calls) places[call] = faults::reached(call);
    std::int64_t runs = 0, right = 0, errors = 0;
    std::size_t turn = 0;
    for (const char* call : calls) {
      const char* const only = results[turn++ % results.size()];
      for (const char* result : results) {
        if (!all_results && result != only) continue;
        const std::int64_t count = places[call];
        for (std::int64_t i = 0; i < std::min(count, most); ++i) {
          const std::int64_t at = count <= most ? i + 1 : 1 + i * (count - 1) / (most - 1);
          const std::string fault = std::string(result) + "@" + call + ":" + std::to_string(at);
          SCOPED_TRACE(fault);
          close_device();
          ++runs;
          try {
            faults::set(fault);
            EXPECT_LE(worst_difference(train(), wanted), 1e-5);
            ++right;
          } catch (const Error& error) {
            ++errors;
          }
          faults::set("");
          EXPECT_EQ(device("vulkan:0").slot().tensors.sum(), 0);
          // Closed, so that the layers say what was not destroyed.
          close_device();
          EXPECT_EQ(validation_messages(), 0U);
        }
      }
    }
    if (std::getenv("TIDEPOOL_SWEEP_REPORT"))
      std::printf("| %s | %lld | %lld | %lld |\n", GetParam() ? "staged, descriptors from pools" : "mapped, descriptors pushed",
                  static_cast<long long>(runs), static_cast<long long>(right), static_cast<long long>(errors));
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, VulkanCallSweep, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "staged" : "mapped"); });

TEST_P(VulkanCallSweep, ASampleOfFailingCallsEndsWell) { sweep(2, false); }
TEST_P(VulkanCallSweep, SlowEveryFailingCallEndsWell) { sweep(1'000'000, true); }

}  // namespace
}  // namespace tidepool::inline v0
