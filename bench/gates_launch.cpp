// Recording an addition of 64 floats into the open Vulkan batch, against the same Vulkan calls written by hand. Only the
// host's recording is timed; submitting and waiting happen between samples.
#include "bench/gate.h"

#ifdef TIDEPOOL_VULKAN

#include <tidepool/tidepool.h>

#include "backend/vulkan/memory.h"
#include "backend/vulkan/pipelines.h"
#include "device/slot.h"
#include "ops/elementwise/params.h"
#include "ops/families.h"

#include <array>

namespace tidepool::gates {

namespace {

constexpr std::uint32_t count = 64;
constexpr std::size_t launches = 500;  // in one sample

const KernelDef& add_kernel() { return *find_operation("add")->kernel; }

ElementwiseParams add_params() {
  return {.shifts = {}, .count = count, .rank = 0, .a = 0, .b = 0, .size = {}, .stride_x = {}, .stride_y = {}};
}

// The library's own side: a launch as `apply` makes it, of an output that is there already.
class Ours {
 public:
  explicit Ours(const Device& device) : device_(device), stream_(device.slot().stream()), x_(make()), y_(make()), out_(make()) {}

  double sample() {
    launch();  // opens the batch
    auto one = [this] { launch(); };
    const double ns = time_of(launches, one);
    const StreamLock lock(*stream_);
    stream_->wait(stream_->submit());
    return ns;
  }

 private:
  Tensor make() const { return zeros({count}, {.device = device_}); }

  void launch() {
    ElementwiseParams params = add_params();
    const StreamLock lock(*stream_);
    stream_->launch(add_kernel(), {read(*x_.node()), read(*y_.node()), write(*out_.node())}, params, {count, 1, 1},
                    ElementwiseParams::flat_bytes);
  }

  Device device_;
  std::shared_ptr<Stream> stream_;
  Tensor x_, y_, out_;
};

// The same calls by hand. Devices, buffers and the pipeline are made with the backend's own parts; what is timed is not.
class Bare {
 public:
  explicit Bare(const std::shared_ptr<const VulkanInstance>& instance)
      : device_(instance, instance->devices()[0], std::chrono::seconds(30)), heap_(device_), pipelines_(device_) {
    pipelines_.load(add_kernel());
    pipeline_ = pipelines_[add_kernel()];
    for (VkDescriptorBufferInfo& buffer : buffers_)
      buffer = {.buffer = heap_.allocate(count * sizeof(float))->buffer, .offset = 0, .range = count * sizeof(float)};
    const VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .queueFamilyIndex = device_.physical.compute_family};
    device_.check(device_.call.vkCreateCommandPool(device_.handle, &pool, nullptr, &pool_), "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .commandPool = pool_,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1};
    device_.check(device_.call.vkAllocateCommandBuffers(device_.handle, &info, &commands_), "vkAllocateCommandBuffers");
  }
  ~Bare() { device_.call.vkDestroyCommandPool(device_.handle, pool_, nullptr); }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  bool comparable() const { return device_.push_descriptors; }

  double sample() {
    device_.check(device_.call.vkResetCommandPool(device_.handle, pool_, 0), "vkResetCommandPool");
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    device_.check(device_.call.vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
    device_.call.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.handle);
    launch();
    auto one = [this] { launch(); };
    const double ns = time_of(launches, one);
    device_.check(device_.call.vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
    const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands_};
    device_.check(device_.call.vkQueueSubmit(device_.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    device_.check(device_.call.vkQueueWaitIdle(device_.queue), "vkQueueWaitIdle");
    return ns;
  }

 private:
  void launch() {
    const ElementwiseParams params = add_params();
    const VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .descriptorCount = static_cast<std::uint32_t>(buffers_.size()),
                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     .pBufferInfo = buffers_.data()};
    device_.call.vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier,
                                      0, nullptr, 0, nullptr);
    device_.call.vkCmdPushDescriptorSetKHR(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.layout, 0, 1, &write);
    device_.call.vkCmdPushConstants(commands_, pipeline_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, ElementwiseParams::flat_bytes, &params);
    device_.call.vkCmdDispatch(commands_, 1, 1, 1);
  }

  VulkanDevice device_;
  VulkanHeap heap_;
  Pipelines pipelines_;
  Pipeline pipeline_;
  std::array<VkDescriptorBufferInfo, 3> buffers_{};
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
};

}  // namespace

Measured measure_recorded_launch() {
  const auto instance = vulkan_instance();
  if (instance->devices().empty()) return {.skipped = "no Vulkan device"};
  const std::int64_t before = settings().max_commands;
  configure({.max_commands = 1 << 20});  // so that no submission falls into a sample
  Ours ours(device("vulkan:0"));
  Bare bare(instance);
  if (!bare.comparable()) return {.skipped = "the Vulkan device has no push descriptors"};
  const auto measure = [&] { return compare_samples([&] { return ours.sample(); }, [&] { return bare.sample(); }); };
  const Measured measured = better(measure(), better(measure(), measure()));
  configure({.max_commands = before});
  return measured;
}

}  // namespace tidepool::gates

#else

namespace tidepool::gates {

Measured measure_recorded_launch() { return {.skipped = "built without Vulkan"}; }

}  // namespace tidepool::gates

#endif
