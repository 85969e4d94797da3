// A command buffer by bare Vulkan, with a pool of its own: for the bare side of a gate.
#pragma once

#include "backend/vulkan/device.h"
#include "backend/vulkan/pipelines.h"

namespace tidepool::gates {

struct BareCommands {
  explicit BareCommands(VulkanDevice& device) : device(device) {
    const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                            .queueFamilyIndex = device.physical.compute_family};
    device.check(device.call.vkCreateCommandPool(device.handle, &pool_info, nullptr, &pool), "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .commandPool = pool,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1};
    device.check(device.call.vkAllocateCommandBuffers(device.handle, &info, &buffer), "vkAllocateCommandBuffers");
  }
  ~BareCommands() { device.call.vkDestroyCommandPool(device.handle, pool, nullptr); }
  BareCommands(const BareCommands&) = delete;
  BareCommands& operator=(const BareCommands&) = delete;

  void begin(const Pipeline& pipeline) const {
    device.check(device.call.vkResetCommandPool(device.handle, pool, 0), "vkResetCommandPool");
    const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    device.check(device.call.vkBeginCommandBuffer(buffer, &info), "vkBeginCommandBuffer");
    device.call.vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
  }
  void end() const { device.check(device.call.vkEndCommandBuffer(buffer), "vkEndCommandBuffer"); }

  VulkanDevice& device;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer buffer = VK_NULL_HANDLE;
};

}  // namespace tidepool::gates
