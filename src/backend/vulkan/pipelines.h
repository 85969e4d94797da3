// A compute pipeline for every kernel that was loaded, found by the kernel's id.
#pragma once

#include "backend/vulkan/device.h"
#include "backend/vulkan/pipeline_file.h"

#include <array>
#include <cassert>
#include <vector>

namespace tidepool::inline v0 {

struct Pipeline {
  VkPipeline handle = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSetLayout set = VK_NULL_HANDLE;
};

class Pipelines {
 public:
  explicit Pipelines(VulkanDevice& device);
  ~Pipelines();
  Pipelines(const Pipelines&) = delete;
  Pipelines& operator=(const Pipelines&) = delete;

  void load(const KernelDef& kernel);
  // Writes what is new to the disk, at most once a second. For moments when somebody waits anyway.
  void keep_if_due();
  const Pipeline& operator[](const KernelDef& kernel) const {
    assert(kernel.id < pipelines_.size() && pipelines_[kernel.id].handle && "launched before it was loaded");
    return pipelines_[kernel.id];
  }

 private:
  struct Layout {  // shared by all kernels with as many bindings
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    VkPipelineLayout pipeline = VK_NULL_HANDLE;
  };
  const Layout& layout(std::uint32_t bindings);
  VkResult make(const KernelDef& kernel, VkShaderModule shader, VkPipelineLayout layout, VkPipeline& pipeline);

  VulkanDevice& device_;
  void keep();

  VkPipelineCache cache_ = VK_NULL_HANDLE;
  PipelineFile file_;
  bool fresh_ = false;  // there are pipelines that the file has not
  std::chrono::steady_clock::time_point kept_ = std::chrono::steady_clock::now();
  std::array<Layout, max_bindings + 1> layouts_{};
  std::vector<Pipeline> pipelines_;
};

}  // namespace tidepool::inline v0
