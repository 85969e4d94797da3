// Launches written into a Vulkan command buffer: the open batch's, or one that is baked to be submitted again and again.
//
//     commands.begin(VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
//     for (const Launch& launch : launches) commands.add(launch);
//     commands.end();
#pragma once

#include "backend/vulkan/memory.h"
#include "backend/vulkan/pipelines.h"
#include "backend/vulkan/timestamps.h"

#include <vector>

namespace tidepool::inline v0 {

// Descriptor sets of one command buffer, for devices without push descriptors. Grows to what the longest batch needs.
class DescriptorSets {
 public:
  explicit DescriptorSets(VulkanDevice& device) : device_(device) {}
  ~DescriptorSets();
  DescriptorSets(const DescriptorSets&) = delete;
  DescriptorSets& operator=(const DescriptorSets&) = delete;

  VkDescriptorSet take(VkDescriptorSetLayout layout);
  void reset();  // all that were taken, at once
  std::size_t pools() const { return pools_.size(); }

 private:
  void add_pool();

  VulkanDevice& device_;
  std::vector<VkDescriptorPool> pools_;
  std::size_t taken_ = 0;
};

class CommandList {
 public:
  CommandList(VulkanDevice& device, Pipelines& pipelines, const Recording* recording = nullptr);
  ~CommandList();
  CommandList(const CommandList&) = delete;
  CommandList& operator=(const CommandList&) = delete;

  void begin(VkCommandBufferUsageFlags usage);  // forgets what was in it
  void add(const Launch& launch);
  void end();
  void let_go();  // of its pipelines: it is not submitted again
  VkCommandBuffer handle() const { return buffer_; }
  const Timestamps& timestamps() const { return timestamps_; }

 private:
  void bind(const Launch& launch, const Pipeline& pipeline);

  VulkanDevice& device_;
  Pipelines& pipelines_;
  std::vector<std::uint32_t> held_;  // kernels whose pipelines it holds
  DescriptorSets sets_;
  Timestamps timestamps_;
  VkCommandPool pool_ = VK_NULL_HANDLE;  // its own, so that resetting it frees everything at once
  VkCommandBuffer buffer_ = VK_NULL_HANDLE;
  VkPipeline bound_ = VK_NULL_HANDLE;
  bool barrier_due_ = false;
};

inline bool has_work(const Launch& launch) { return launch.extent.x && launch.extent.y && launch.extent.z; }

// Workgroups that cover the launch's extent. A line too long for one axis is folded into y: shaders number their groups
// WorkGroupID.y * NumWorkGroups.x + WorkGroupID.x and check bounds themselves, but for those that do not fold.
Extent workgroups(const Launch& launch, const VkPhysicalDeviceLimits& limits);

}  // namespace tidepool::inline v0
