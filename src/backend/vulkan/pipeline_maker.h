// Makes compute pipelines, from any thread. What they share is here: the driver's cache and the layouts.
//
//     PipelineMaker maker(device, file.read());
//     Pipeline made;
//     device.check(maker.make(kernel, made), "vkCreateComputePipelines");
#pragma once

#include "backend/vulkan/device.h"

#include <array>
#include <mutex>
#include <span>
#include <vector>

namespace tidepool::inline v0 {

struct Pipeline {
  VkPipeline handle = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSetLayout set = VK_NULL_HANDLE;
};

class PipelineMaker {
 public:
  PipelineMaker(VulkanDevice& device, std::span<const std::byte> known);  // what the driver's cache gave an earlier process
  ~PipelineMaker();
  PipelineMaker(const PipelineMaker&) = delete;
  PipelineMaker& operator=(const PipelineMaker&) = delete;

  // Throws DeviceError for a kernel that the device cannot have; what the driver says is returned.
  VkResult make(const KernelDef& kernel, Pipeline& pipeline);
  void destroy(const Pipeline& pipeline) const;
  std::vector<std::byte> cached() const;  // what the driver's cache has now; empty when it does not say

 private:
  struct Layout {  // shared by all kernels with as many bindings
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    VkPipelineLayout pipeline = VK_NULL_HANDLE;
  };
  VkResult find_layout(std::uint32_t bindings, Layout& found);
  VkResult make_layout(std::uint32_t bindings, Layout& layout) const;
  VkResult make_pipeline(const KernelDef& kernel, VkShaderModule shader, VkPipelineLayout layout, VkPipeline& pipeline) const;

  VulkanDevice& device_;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  std::mutex mutex_;  // of layouts_; the driver sees to its cache itself
  std::array<Layout, max_bindings + 1> layouts_{};
};

// The shader's words; throws DeviceError when there is none of its name.
std::span<const std::uint32_t> shader_words(const KernelDef& kernel);

}  // namespace tidepool::inline v0
