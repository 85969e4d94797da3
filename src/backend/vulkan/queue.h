// The open batch and the submissions under way, in order, on the device's one queue.
#pragma once

#include "backend/vulkan/commands.h"

#include <array>
#include <deque>

namespace tidepool::inline v0 {

class VulkanQueue {
 public:
  VulkanQueue(VulkanDevice& device, Pipelines& pipelines);
  ~VulkanQueue();
  VulkanQueue(const VulkanQueue&) = delete;
  VulkanQueue& operator=(const VulkanQueue&) = delete;

  void record(const Launch& launch);
  Serial submit_batch();  // nothing recorded: the last serial, and nothing is submitted
  Serial submit(const CommandList& recording);
  bool wait(Serial serial, std::chrono::nanoseconds time);
  // Waits for what is under way, unless the device is lost; not longer than its patience. Where nobody can say whether it has ended,
  // the device is abandoned: what the work may still use is never destroyed.
  void end_work();
  void take_times(std::vector<LaunchTime>& into);

 private:
  // One more than may be under way, for the batch that is being recorded. The first free one is taken: whoever waits for each of
  // his batches records into the same memory again and again, which is still in the cache.
  static constexpr std::size_t unfinished_limit = 8, slots = unfinished_limit + 1;
  struct Slot {
    Slot(VulkanDevice& device, Pipelines& pipelines);
    ~Slot();
    VulkanDevice& device;
    CommandList commands;
    VkFence fence = VK_NULL_HANDLE;
    Serial serial = 0;                   // of the submission that has it
    const CommandList* timed = nullptr;  // what was submitted, when it has timestamps that nobody has collected
  };
  Slot& free_slot();
  Serial send(const CommandList& commands, Slot& slot);
  VkResult fence_state(Serial serial, std::chrono::nanoseconds time);

  void collect();

  VulkanDevice& device_;
  std::vector<LaunchTime> times_;
  std::deque<Slot> slots_;
  Serial last_ = 0;                     // submitted
  Serial finished_ = 0;                 // known to be finished, with all before it
  Slot* open_ = nullptr;                // has launches
  std::array<Slot*, slots> of_serial_;  // of those under way, by serial % slots
};

}  // namespace tidepool::inline v0
