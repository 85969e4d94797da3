#include "backend/vulkan/queue.h"

#include <algorithm>

namespace tidepool::inline v0 {

VulkanQueue::Slot::Slot(VulkanDevice& device, Pipelines& pipelines) : device(device), commands(device, pipelines) {
  const VkFenceCreateInfo info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  device.check(device.call.vkCreateFence(device.handle, &info, nullptr, &fence), "vkCreateFence");
}

VulkanQueue::Slot::~Slot() {
  if (!device.abandoned) device.call.vkDestroyFence(device.handle, fence, nullptr);
}

VulkanQueue::VulkanQueue(VulkanDevice& device, Pipelines& pipelines) : device_(device) {
  for (std::size_t i = 0; i < slots; ++i) slots_.emplace_back(device, pipelines);
}

VulkanQueue::~VulkanQueue() { end_work(); }

void VulkanQueue::end_work() {
  if (device_.lost || device_.abandoned || finished_ == last_) return;
  const VkResult result = fence_state(last_, device_.patience);
  device_.abandoned = result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST;
}

void VulkanQueue::record(const Launch& launch) {
  if (open_) return open_->commands.add(launch);
  if (!has_work(launch)) return;
  Slot& slot = free_slot();
  slot.commands.begin(VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  slot.commands.add(launch);
  open_ = &slot;  // a batch whose first launch was refused is none
}

Serial VulkanQueue::submit_batch() {
  if (!open_) return last_;
  Slot& slot = *open_;
  open_ = nullptr;
  slot.commands.end();
  return send(slot.commands, slot);
}

Serial VulkanQueue::submit(const CommandList& recording) {
  assert(!open_ && "a recording was submitted before the open batch");
  // Its timestamps are read before they are written again.
  for (const Slot& slot : slots_)
    if (slot.timed == &recording) wait(slot.serial, device_.patience);
  return send(recording, free_slot());
}

VulkanQueue::Slot& VulkanQueue::free_slot() {
  return *std::ranges::find_if(slots_, [this](const Slot& slot) { return slot.serial <= finished_; });
}

Serial VulkanQueue::send(const CommandList& list, Slot& slot) {
  if (last_ >= unfinished_limit) wait(last_ + 1 - unfinished_limit, device_.patience);
  device_.check(device_.call.vkResetFences(device_.handle, 1, &slot.fence), "vkResetFences");
  device_.submit(list.handle(), slot.fence);
  slot.serial = ++last_;
  slot.timed = list.timestamps().on() ? &list : nullptr;
  of_serial_[last_ % slots] = &slot;
  return last_;
}

bool VulkanQueue::wait(Serial serial, std::chrono::nanoseconds time) {
  assert(serial <= last_);
  if (serial <= finished_) return true;
  const VkResult result = fence_state(serial, time);
  if (result == VK_TIMEOUT || result == VK_NOT_READY) {
    if (time.count() > 0) device_.give_up(time);
    return false;
  }
  device_.check(result, time.count() <= 0 ? "vkGetFenceStatus" : "vkWaitForFences");
  finished_ = serial;  // a fence also tells of everything submitted to the queue before it
  collect();
  for (Slot& slot : slots_)
    if (slot.serial <= finished_ && &slot != open_) slot.commands.let_go();
  return true;
}

void VulkanQueue::collect() {
  constexpr std::size_t most = 100'000;  // if nobody takes them
  for (Slot& slot : slots_)
    if (slot.timed && slot.serial <= finished_) {
      if (times_.size() < most) slot.timed->timestamps().collect(times_);
      slot.timed = nullptr;  // which may be destroyed from now on
    }
}

void VulkanQueue::take_times(std::vector<LaunchTime>& into) {
  into.insert(into.end(), times_.begin(), times_.end());
  times_.clear();
}

VkResult VulkanQueue::fence_state(Serial serial, std::chrono::nanoseconds time) {
  const VkFence& fence = of_serial_[serial % slots]->fence;
  if (time.count() <= 0) return device_.call.vkGetFenceStatus(device_.handle, fence);
  return device_.wait_for(fence, time);
}

}  // namespace tidepool::inline v0
