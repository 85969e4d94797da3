#include "backend/vulkan/commands.h"

#include <tidepool/error.h>

#include <algorithm>

#include "platform/cat.h"

namespace tidepool::inline v0 {
namespace {

constexpr std::uint32_t sets_per_pool = 256;
constexpr VkAccessFlags shader_access = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;

// Most groups are flat, and a division takes longer than asking.
std::uint32_t divide_up(std::uint32_t a, std::uint32_t b) { return b == 1 ? a : a / b + (a % b != 0 ? 1 : 0); }

void add_barrier(const VulkanDevice& device, VkCommandBuffer buffer, VkPipelineStageFlags from, VkAccessFlags written,
                 VkPipelineStageFlags to, VkAccessFlags used) {
  const VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = used};
  device.call.vkCmdPipelineBarrier(buffer, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

// Apart, so that its message costs nothing where there is none.
[[noreturn, gnu::cold, gnu::noinline]] void too_many_groups(const Launch& launch, const Extent& groups,
                                                            const VkPhysicalDeviceLimits& limits) {
  throw DeviceError("vulkan",
                    cat("kernel \"", launch.kernel->name, "\" was launched over ", launch.extent.x, " x ", launch.extent.y, " x ",
                        launch.extent.z, " items, which is ", groups.x, " x ", groups.y, " x ", groups.z, " workgroups; the device allows ",
                        limits.maxComputeWorkGroupCount[0], " x ", limits.maxComputeWorkGroupCount[1], " x ",
                        limits.maxComputeWorkGroupCount[2], "; give each work item more to do"));
}

}  // namespace

DescriptorSets::~DescriptorSets() {
  if (device_.abandoned) return;
  for (const VkDescriptorPool pool : pools_) device_.call.vkDestroyDescriptorPool(device_.handle, pool, nullptr);
}

VkDescriptorSet DescriptorSets::take(VkDescriptorSetLayout layout) {
  const std::size_t pool = taken_ / sets_per_pool;
  if (pool == pools_.size()) add_pool();
  const VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                         .descriptorPool = pools_[pool],
                                         .descriptorSetCount = 1,
                                         .pSetLayouts = &layout};
  VkDescriptorSet set = VK_NULL_HANDLE;
  device_.check(device_.call.vkAllocateDescriptorSets(device_.handle, &info, &set), "vkAllocateDescriptorSets");
  ++taken_;
  return set;
}

void DescriptorSets::add_pool() {
  pools_.reserve(pools_.size() + 1);
  const VkDescriptorPoolSize size{.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = sets_per_pool * max_bindings};
  const VkDescriptorPoolCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = sets_per_pool, .poolSizeCount = 1, .pPoolSizes = &size};
  VkDescriptorPool pool = VK_NULL_HANDLE;
  device_.check(device_.call.vkCreateDescriptorPool(device_.handle, &info, nullptr, &pool), "vkCreateDescriptorPool");
  pools_.push_back(pool);
}

void DescriptorSets::reset() {
  for (std::size_t i = 0; i * sets_per_pool < taken_; ++i)
    device_.check(device_.call.vkResetDescriptorPool(device_.handle, pools_[i], 0), "vkResetDescriptorPool");
  taken_ = 0;
}

CommandList::CommandList(VulkanDevice& device, Pipelines& pipelines, const Recording* recording)
    : device_(device), pipelines_(pipelines), sets_(device), timestamps_(device, recording) {
  const VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                     .queueFamilyIndex = device_.physical.compute_family};
  device_.check(device_.call.vkCreateCommandPool(device_.handle, &pool, nullptr, &pool_), "vkCreateCommandPool");
  const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                         .commandPool = pool_,
                                         .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                         .commandBufferCount = 1};
  const VkResult result = device_.call.vkAllocateCommandBuffers(device_.handle, &info, &buffer_);
  if (result != VK_SUCCESS) device_.call.vkDestroyCommandPool(device_.handle, pool_, nullptr);
  device_.check(result, "vkAllocateCommandBuffers");
  device_.name(VK_OBJECT_TYPE_COMMAND_BUFFER, buffer_, "tidepool batch");
  held_.reserve(64);  // of a step: the batches under way are more on a busy machine, and one that is new takes nothing from the heap then
}

CommandList::~CommandList() {
  let_go();
  if (!device_.abandoned) device_.call.vkDestroyCommandPool(device_.handle, pool_, nullptr);
}

void CommandList::let_go() {
  for (const std::uint32_t kernel : held_) pipelines_.let_go(kernel);
  held_.clear();
}

void CommandList::begin(VkCommandBufferUsageFlags usage) {
  let_go();
  sets_.reset();
  device_.check(device_.call.vkResetCommandPool(device_.handle, pool_, 0), "vkResetCommandPool");
  const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = usage};
  device_.check(device_.call.vkBeginCommandBuffer(buffer_, &info), "vkBeginCommandBuffer");
  bound_ = VK_NULL_HANDLE;
  barrier_due_ = false;
  timestamps_.begin(buffer_);
  // Nothing else orders one submission after another.
  add_barrier(device_, buffer_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
              shader_access | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, shader_access);
}

void CommandList::add(const Launch& launch) {
  // A launch without work still passes its barrier on: later ones may count on it. Before the first, begin's serves.
  barrier_due_ |= launch.barrier && bound_;
  if (!has_work(launch)) return;
  const Extent groups = workgroups(launch, device_.limits);
  const Pipeline& pipeline = pipelines_[*launch.kernel];
  if (barrier_due_)
    add_barrier(device_, buffer_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, shader_access, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, shader_access);
  barrier_due_ = false;
  if (pipeline.handle != bound_) {
    held_.push_back(launch.kernel->id);
    pipelines_.hold(*launch.kernel);
    device_.call.vkCmdBindPipeline(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
    bound_ = pipeline.handle;
  }
  if (launch.binding_count) bind(launch, pipeline);
  if (launch.param_bytes)
    device_.call.vkCmdPushConstants(buffer_, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, launch.param_bytes, launch.params.data());
  const bool labelled = device_.instance->labels();
  if (labelled) {
    const VkDebugUtilsLabelEXT label{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = launch.kernel->name};
    vkCmdBeginDebugUtilsLabelEXT(buffer_, &label);
  }
  timestamps_.before(buffer_, launch);
  device_.call.vkCmdDispatch(buffer_, groups.x, groups.y, groups.z);
  timestamps_.after(buffer_);
  if (labelled) vkCmdEndDebugUtilsLabelEXT(buffer_);
}

void CommandList::bind(const Launch& launch, const Pipeline& pipeline) {
  assert(launch.binding_count == launch.kernel->bindings);
  std::array<VkDescriptorBufferInfo, max_bindings> buffers;
  for (std::size_t i = 0; i < launch.binding_count; ++i) {
    const Binding& b = launch.bindings[i];
    // Whole words, and never none: Vulkan has no empty range, but the input of a sum over nothing is one.
    const std::size_t range = (std::max<std::size_t>(b.bytes, 1) + 3) & ~std::size_t{3};
    assert(b.memory && b.offset + range <= b.memory->bytes && range <= device_.limits.maxStorageBufferRange);
    buffers[i] = {.buffer = static_cast<const VulkanMemory*>(b.memory)->buffer, .offset = b.offset, .range = range};
  }
  VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                             .descriptorCount = launch.binding_count,  // runs on through the bindings after 0, as they are alike
                             .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                             .pBufferInfo = buffers.data()};
  if (device_.push_descriptors) {
    device_.call.vkCmdPushDescriptorSetKHR(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1, &write);
    return;
  }
  write.dstSet = sets_.take(pipeline.set);
  device_.call.vkUpdateDescriptorSets(device_.handle, 1, &write, 0, nullptr);
  device_.call.vkCmdBindDescriptorSets(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1, &write.dstSet, 0, nullptr);
}

void CommandList::end() {
  // The host reads results, and writes over memory that is lent anew.
  add_barrier(device_, buffer_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
              VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
  device_.check(device_.call.vkEndCommandBuffer(buffer_), "vkEndCommandBuffer");
}

Extent workgroups(const Launch& launch, const VkPhysicalDeviceLimits& limits) {
  const Extent& items = launch.extent;
  const Extent& group = launch.kernel->group;
  std::uint32_t x = divide_up(items.x, launch.kernel->covers ? launch.kernel->covers : group.x), y = divide_up(items.y, group.y);
  const std::uint32_t z = divide_up(items.z, group.z);
  if (x > limits.maxComputeWorkGroupCount[0] && items.y == 1 && items.z == 1 && launch.kernel->folds) [[unlikely]] {
    y = divide_up(x, limits.maxComputeWorkGroupCount[0]);
    x = divide_up(x, y);
  }
  if (x > limits.maxComputeWorkGroupCount[0] || y > limits.maxComputeWorkGroupCount[1] || z > limits.maxComputeWorkGroupCount[2])
      [[unlikely]]
    too_many_groups(launch, {x, y, z}, limits);
  return {x, y, z};
}

}  // namespace tidepool::inline v0
