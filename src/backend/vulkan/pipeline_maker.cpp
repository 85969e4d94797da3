#include "backend/vulkan/pipeline_maker.h"

#include <tidepool/error.h>

#include <algorithm>
#include <string_view>

#include "backend/vulkan/shaders.h"
#include "platform/cat.h"

namespace tidepool::inline v0 {
namespace {

// Beyond these limits the driver may do anything.
void check_limits(const KernelDef& kernel, const VulkanDevice& device) {
  const VkPhysicalDeviceLimits& limits = device.limits;
  const Extent& g = kernel.group;
  const std::uint64_t items = std::uint64_t{g.x} * g.y * g.z;
  if (g.x > limits.maxComputeWorkGroupSize[0] || g.y > limits.maxComputeWorkGroupSize[1] || g.z > limits.maxComputeWorkGroupSize[2] ||
      items > limits.maxComputeWorkGroupInvocations)
    throw DeviceError("vulkan",
                      cat("kernel \"", kernel.name, "\" wants workgroups of ", g.x, " x ", g.y, " x ", g.z, ", the device allows ",
                          limits.maxComputeWorkGroupInvocations, " work items; specialise it to a smaller group"));
  if (kernel.bindings > limits.maxPerStageDescriptorStorageBuffers)
    throw DeviceError("vulkan", cat("kernel \"", kernel.name, "\" wants ", int{kernel.bindings}, " bindings, the device allows ",
                                    limits.maxPerStageDescriptorStorageBuffers, "; use another device"));
  if (kernel.needs.shared_bytes > limits.maxComputeSharedMemorySize)
    throw DeviceError("vulkan", cat("kernel \"", kernel.name, "\" wants ", kernel.needs.shared_bytes,
                                    " bytes of shared memory for a workgroup, the device has ", limits.maxComputeSharedMemorySize,
                                    "; use smaller groups"));
  if (const std::uint32_t lacking = kernel.needs.subgroup & ~device.subgroup_operations)
    throw DeviceError("vulkan", cat("kernel \"", kernel.name, "\" uses operations across subgroups that the device has not (Vulkan's bits ",
                                    lacking, "); do without, or use another device"));
}

}  // namespace

std::span<const std::uint32_t> shader_words(const KernelDef& kernel) {
  if (!kernel.spirv.empty()) return kernel.spirv;
  const std::string_view name = kernel.shader ? kernel.shader : kernel.name;
  const auto all = shaders();
  const auto found = std::ranges::lower_bound(all, name, {}, &Shader::name);
  if (found == all.end() || found->name != name)
    throw DeviceError(kernel.name,
                      cat("Vulkan has no shader \"", name, "\" for this among the ", all.size(),
                          " that were built in; move the tensors with to(device(\"cpu\")), or add ", name, ".comp under src/ops/"));
  return found->words;
}

PipelineMaker::PipelineMaker(VulkanDevice& device, std::span<const std::byte> known) : device_(device) {
  const VkPipelineCacheCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = known.size(), .pInitialData = known.data()};
  device_.check(device_.call.vkCreatePipelineCache(device_.handle, &info, nullptr, &cache_), "vkCreatePipelineCache");
}

PipelineMaker::~PipelineMaker() {
  if (device_.abandoned) return;
  for (const Layout& layout : layouts_) {
    device_.call.vkDestroyPipelineLayout(device_.handle, layout.pipeline, nullptr);
    device_.call.vkDestroyDescriptorSetLayout(device_.handle, layout.set, nullptr);
  }
  device_.call.vkDestroyPipelineCache(device_.handle, cache_, nullptr);
}

VkResult PipelineMaker::make(const KernelDef& kernel, Pipeline& pipeline) {
  const auto words = shader_words(kernel);
  check_limits(kernel, device_);
  Layout layout;
  if (const VkResult result = find_layout(kernel.bindings, layout); result != VK_SUCCESS) return result;
  const VkShaderModuleCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words.size_bytes(), .pCode = words.data()};
  VkShaderModule shader = VK_NULL_HANDLE;
  if (const VkResult result = device_.call.vkCreateShaderModule(device_.handle, &info, nullptr, &shader); result != VK_SUCCESS)
    return result;
  VkPipeline made = VK_NULL_HANDLE;
  const VkResult result = make_pipeline(kernel, shader, layout.pipeline, made);
  device_.call.vkDestroyShaderModule(device_.handle, shader, nullptr);
  if (result != VK_SUCCESS) return result;
  device_.name(VK_OBJECT_TYPE_PIPELINE, made, kernel.name);
  pipeline = {made, layout.pipeline, layout.set};
  return VK_SUCCESS;
}

void PipelineMaker::destroy(const Pipeline& pipeline) const {
  if (!device_.abandoned) device_.call.vkDestroyPipeline(device_.handle, pipeline.handle, nullptr);
}

std::vector<std::byte> PipelineMaker::cached() const {
  std::size_t bytes = 0;
  if (device_.call.vkGetPipelineCacheData(device_.handle, cache_, &bytes, nullptr) != VK_SUCCESS) return {};
  std::vector<std::byte> data(bytes);
  if (device_.call.vkGetPipelineCacheData(device_.handle, cache_, &bytes, data.data()) != VK_SUCCESS) return {};
  data.resize(bytes);
  return data;
}

VkResult PipelineMaker::make_pipeline(const KernelDef& kernel, VkShaderModule shader, VkPipelineLayout layout, VkPipeline& pipeline) const {
  std::array<VkSpecializationMapEntry, std::tuple_size_v<decltype(kernel.constants)>> entries;
  for (std::uint32_t i = 0; i < kernel.constant_count; ++i) entries[i] = {.constantID = i, .offset = 4 * i, .size = 4};
  const VkSpecializationInfo constants{.mapEntryCount = kernel.constant_count,
                                       .pMapEntries = entries.data(),
                                       .dataSize = 4u * kernel.constant_count,
                                       .pData = kernel.constants.data()};
  const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                         .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                   .module = shader,
                                                   .pName = "main",
                                                   .pSpecializationInfo = kernel.constant_count ? &constants : nullptr},
                                         .layout = layout};
  return device_.call.vkCreateComputePipelines(device_.handle, cache_, 1, &info, nullptr, &pipeline);
}

VkResult PipelineMaker::find_layout(std::uint32_t bindings, Layout& found) {
  const std::scoped_lock lock(mutex_);
  Layout& layout = layouts_[bindings];
  const VkResult result = layout.pipeline ? VK_SUCCESS : make_layout(bindings, layout);
  found = layout;
  return result;
}

VkResult PipelineMaker::make_layout(std::uint32_t bindings, Layout& layout) const {
  std::array<VkDescriptorSetLayoutBinding, max_bindings> slots;
  for (std::uint32_t i = 0; i < bindings; ++i)
    slots[i] = {
        .binding = i, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  const VkDescriptorSetLayoutCreateInfo set_info{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .flags = device_.push_descriptors ? VkDescriptorSetLayoutCreateFlags{VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR} : 0,
      .bindingCount = bindings,
      .pBindings = slots.data()};
  if (!layout.set) {
    const VkResult result = device_.call.vkCreateDescriptorSetLayout(device_.handle, &set_info, nullptr, &layout.set);
    if (result != VK_SUCCESS) return result;
  }
  const VkPushConstantRange params{.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .offset = 0, .size = max_param_bytes};
  const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                        .setLayoutCount = 1,
                                        .pSetLayouts = &layout.set,
                                        .pushConstantRangeCount = 1,
                                        .pPushConstantRanges = &params};
  return device_.call.vkCreatePipelineLayout(device_.handle, &info, nullptr, &layout.pipeline);
}

}  // namespace tidepool::inline v0
