// One VkDevice with its own table of functions, so that several can be open at once, and the two ways in which it can fail us.
//
//     device.check(device.call.vkResetFences(device.handle, 1, &fence), "vkResetFences");
#pragma once

#include "backend/backend.h"
#include "backend/vulkan/ending.h"
#include "backend/vulkan/instance.h"
#include "platform/load/drm_card.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

namespace tidepool::inline v0 {

BackendInfo describe(const PhysicalDevice& device);
PciDevice place_of(const PhysicalDevice& device);

struct VulkanDevice final : private AtTheEnd {
  VulkanDevice(std::shared_ptr<const VulkanInstance> instance, const PhysicalDevice& physical);
  ~VulkanDevice();

  // Throws unless the result is VK_SUCCESS, naming the call: DeviceLost, or DeviceError for all else.
  void check(VkResult result, const char* called);
  // The fence tells when it is done.
  void submit(const VkCommandBuffer& commands, VkFence fence);
  // Waits for the fence for so long, in pieces: a process that was stopped meanwhile (Ctrl-Z, a debugger) wakes up long after the
  // end of one, and that says nothing about the device.
  VkResult wait_for(const VkFence& fence, std::chrono::nanoseconds time) const;
  // Throws DeviceLost, for a device that did not answer for so long.
  [[noreturn]] void give_up(std::chrono::nanoseconds waited);

  // For RenderDoc and the validation layers, where they listen.
  template <class Handle>
  void name(VkObjectType type, Handle object, const char* text) const {
    if (instance->labels()) set_name(type, reinterpret_cast<std::uint64_t>(object), text);
  }
  void set_name(VkObjectType type, std::uint64_t object, const char* text) const;

  const std::shared_ptr<const VulkanInstance> instance;
  const PhysicalDevice physical;
  std::atomic<std::chrono::nanoseconds> patience{std::chrono::seconds(30)};
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceLimits limits{};
  std::size_t max_allocation_bytes = SIZE_MAX;
  std::size_t max_buffer_bytes = SIZE_MAX;
  bool push_descriptors = false;
  VkSubgroupFeatureFlags subgroup_operations = 0;  // in compute shaders

  VkDevice handle = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VolkDeviceTable call{};

  bool timing = false;                                                        // launches that are recorded now get timestamps
  std::chrono::nanoseconds clock_distance = std::chrono::nanoseconds::max();  // from the device's clock to the host's, at most

  std::atomic<bool> lost = false;  // by the driver's own word: objects may be destroyed, waiting is pointless
  // It no longer answers, so its work may be running still. Destroying what that work uses is undefined and may hang: all
  // destructors then leave their objects to the end of the process.
  std::atomic<bool> abandoned = false;

 private:
  void end() noexcept override;

  std::mutex submitting_;  // at the end of the process another thread may be at it
};

}  // namespace tidepool::inline v0
