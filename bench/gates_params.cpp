// What packed parameters save: the same addition of 64 floats by bare Vulkan, its four parameters as push constants, in one buffer, or
// in a buffer each. Nothing depends on these figures, so there is no limit; they say what the choice is worth.
#include "bench/gate.h"

#ifdef TIDEPOOL_VULKAN

#include "backend/vulkan/memory.h"
#include "backend/vulkan/pipelines.h"
#include "bench/bare_commands.h"

#include <array>
#include <cstring>

namespace tidepool::gates {

namespace {

constexpr std::uint32_t pushed_words[] = {
#include "shaders/add_params_0.inc"
};
constexpr std::uint32_t one_words[] = {
#include "shaders/add_params_1.inc"
};
constexpr std::uint32_t each_words[] = {
#include "shaders/add_params_4.inc"
};
constexpr Access r = Access::read, w = Access::write;
constexpr KernelDef pushed_kernel{.name = "params_pushed", .access = accesses({r, r, w}), .bindings = 3, .spirv = pushed_words};
constexpr KernelDef one_kernel{.name = "params_in_one", .access = accesses({r, r, w, r}), .bindings = 4, .spirv = one_words};
constexpr KernelDef each_kernel{.name = "params_in_four", .access = accesses({r, r, w, r, r, r, r}), .bindings = 7, .spirv = each_words};

constexpr std::uint32_t count = 64;
constexpr std::size_t launches = 500;  // in one sample
constexpr std::size_t slot = 256;      // bytes: any device can bind a range that begins at a multiple of it

struct AddParams {
  std::uint32_t count, first;
  float a, b;
};

class Additions {
 public:
  Additions(VulkanDevice& device, Pipelines& pipelines, VulkanHeap& heap, const KernelDef& kernel)
      : device_(device), buffers_(kernel.bindings - 3U) {
    kernel_id(kernel);
    pipelines.load(kernel);
    pipeline_ = pipelines[kernel];
    pipelines.hold(kernel);
    for (std::size_t i = 0; i < 3; ++i) bound_[i] = {heap.allocate(count * sizeof(float))->buffer, 0, count * sizeof(float)};
    params_ = heap.allocate(launches * slot * std::max<std::size_t>(buffers_, 1));
  }

  bool possible() const { return device_.push_descriptors && params_->host; }

  double recording() {
    begin();
    auto one = [this] { launch(); };
    const double ns = time_of(launches, one);
    finish();
    return ns;
  }
  double whole() {
    auto all = [this] {
      begin();
      for (std::size_t i = 0; i < launches; ++i) launch();
      finish();
    };
    return time_of(1, all) / launches;
  }

 private:
  void begin() {
    next_ = 0;
    commands_.begin(pipeline_);
  }
  void finish() {
    commands_.end();
    const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands_.buffer};
    device_.check(device_.call.vkQueueSubmit(device_.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    device_.check(device_.call.vkQueueWaitIdle(device_.queue), "vkQueueWaitIdle");
  }
  // Each launch has values of its own, so each has its own place for them.
  void put(std::size_t binding, const void* values, std::size_t bytes) {
    std::memcpy(params_->host + next_, values, bytes);
    bound_[binding] = {params_->buffer, next_, bytes};
    next_ += slot;
  }
  void launch() {
    const AddParams params{.count = count, .first = 0, .a = 1, .b = 1};
    if (buffers_ == 1) put(3, &params, sizeof params);
    if (buffers_ == 4)
      for (std::size_t i = 0; i < 4; ++i) put(3 + i, reinterpret_cast<const std::byte*>(&params) + 4 * i, 4);
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .descriptorCount = 3 + buffers_,
                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     .pBufferInfo = bound_.data()};
    device_.call.vkCmdPushDescriptorSetKHR(commands_.buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.layout, 0, 1, &write);
    if (buffers_ == 0)
      device_.call.vkCmdPushConstants(commands_.buffer, pipeline_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof params, &params);
    device_.call.vkCmdDispatch(commands_.buffer, 1, 1, 1);
  }

  VulkanDevice& device_;
  const std::uint32_t buffers_;  // of parameters
  Pipeline pipeline_;
  std::array<VkDescriptorBufferInfo, 7> bound_{};
  VulkanMemory* params_ = nullptr;
  std::size_t next_ = 0;
  BareCommands commands_{device_};
};

Measured compare_pushed_with(const KernelDef& other, double (Additions::*measure)()) {
  const auto instance = vulkan_instance();
  if (instance->devices().empty()) return {.skipped = "no Vulkan device"};
  VulkanDevice device(instance, instance->devices()[0]);
  VulkanHeap heap(device);
  Pipelines pipelines(device);
  Additions pushed(device, pipelines, heap, pushed_kernel), buffered(device, pipelines, heap, other);
  if (!buffered.possible()) return {.skipped = "the device has no push descriptors, or no memory in the host's reach"};
  const auto once = [&] { return compare_samples([&] { return (pushed.*measure)(); }, [&] { return (buffered.*measure)(); }); };
  return better(once(), better(once(), once()));
}

}  // namespace

Measured measure_params_in_one_buffer() { return compare_pushed_with(one_kernel, &Additions::recording); }
Measured measure_params_in_buffers() { return compare_pushed_with(each_kernel, &Additions::recording); }
Measured measure_launch_with_params_in_buffers() { return compare_pushed_with(each_kernel, &Additions::whole); }

}  // namespace tidepool::gates

#endif
