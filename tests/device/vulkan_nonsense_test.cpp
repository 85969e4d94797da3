// Drivers that say what cannot be: the answers of the real one, changed on their way to us.
#include <functional>

#include "device/vulkan_backend.h"

namespace tidepool::inline v0 {
namespace {

PFN_vkGetPhysicalDeviceProperties2 real_properties = nullptr;
std::function<void(VkPhysicalDeviceLimits&)> change_limits;
VKAPI_ATTR void VKAPI_CALL changed_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  real_properties(device, properties);
  change_limits(properties->properties.limits);
}

PFN_vkGetPhysicalDeviceQueueFamilyProperties real_families = nullptr;
VKAPI_ATTR void VKAPI_CALL families_without_compute(VkPhysicalDevice device, std::uint32_t* count, VkQueueFamilyProperties* families) {
  real_families(device, count, families);
  for (std::uint32_t i = 0; families && i < *count; ++i) families[i].queueFlags &= ~VkQueueFlags{VK_QUEUE_COMPUTE_BIT};
}

class VulkanNonsense : public LibraryTest {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_DEVICE("vulkan:0");
    LibraryTest::SetUp();
    real_properties = vkGetPhysicalDeviceProperties2;
    real_families = vkGetPhysicalDeviceQueueFamilyProperties;
  }
  void TearDown() override {
    if (IsSkipped()) return;
    vkGetPhysicalDeviceProperties2 = real_properties;
    vkGetPhysicalDeviceQueueFamilyProperties = real_families;
    LibraryTest::TearDown();
  }
};

TEST_F(VulkanNonsense, LimitsBelowWhatVulkanGuaranteesAreNamedAndTheCpuServes) {
  const std::pair<const char*, std::function<void(VkPhysicalDeviceLimits&)>> nonsense[] = {
      {"maxPushConstantsSize is 0", [](auto& limits) { limits.maxPushConstantsSize = 0; }},
      {"maxStorageBufferRange is 1", [](auto& limits) { limits.maxStorageBufferRange = 1; }},
      {"maxComputeWorkGroupCount[1] is 0", [](auto& limits) { limits.maxComputeWorkGroupCount[1] = 0; }},
      {"maxComputeWorkGroupInvocations is 3", [](auto& limits) { limits.maxComputeWorkGroupInvocations = 3; }},
      {"minStorageBufferOffsetAlignment is 0", [](auto& limits) { limits.minStorageBufferOffsetAlignment = 0; }},
      {"minStorageBufferOffsetAlignment is 48", [](auto& limits) { limits.minStorageBufferOffsetAlignment = 48; }},
      {"minStorageBufferOffsetAlignment is 1099511627776", [](auto& limits) { limits.minStorageBufferOffsetAlignment = 1ULL << 40; }}};
  for (const auto& [what, change] : nonsense) {
    change_limits = change;
    vkGetPhysicalDeviceProperties2 = changed_properties;
    EXPECT_NO_THROW(devices()) << what;
    const std::string message = message_of<DeviceError>([] { zeros({4}, {.device = device("vulkan:0")}); });
    EXPECT_HAS(message, std::string("the driver says that ") + what);
    EXPECT_HAS(message, "use the device \"cpu\"");
    vkGetPhysicalDeviceProperties2 = real_properties;
    EXPECT_EQ((ones({4}) + 1.0F).to_host<float>(), std::vector<float>(4, 2.0F));
  }
  EXPECT_EQ(zeros({4}, {.device = device("vulkan:0")}).to_host<float>(), std::vector<float>(4, 0.0F)) << "as soon as it talks sense";
}

TEST_F(VulkanNonsense, ADeviceWithoutQueuesForComputeIsNone) {
  const auto instance = vulkan_instance();
  std::vector<std::string> unusable;
  ASSERT_FALSE(find_devices(instance->handle(), unusable).empty());
  EXPECT_TRUE(unusable.empty());
  vkGetPhysicalDeviceQueueFamilyProperties = families_without_compute;
  EXPECT_TRUE(find_devices(instance->handle(), unusable).empty());
  ASSERT_FALSE(unusable.empty());
  EXPECT_HAS(unusable[0], "has no queue for compute");
}

TEST_F(VulkanNonsense, APipelineThatDoesNotCompileIsNamedAndTheRestWorks) {
  set_default_device(device("vulkan:0"));
  const Tensor t = ones({4});
  t.to_host<float>();
  faults::set("VK_ERROR_UNKNOWN@vkCreateComputePipelines:1");
  const std::string message = message_of<DeviceError>([&] { softplus(t); });
  EXPECT_HAS(message, "making the pipeline of kernel \"softplus\" gave VK_ERROR_UNKNOWN");
  EXPECT_EQ((t + 1.0F).to_host<float>(), std::vector<float>(4, 2.0F));
  EXPECT_NEAR(softplus(t).to_host<float>()[0], 1.3132617F, 1e-6) << "and the next time it compiles";
}

}  // namespace
}  // namespace tidepool::inline v0
