// Device memory: one buffer with memory of its own for each call. The pool above cuts slabs, so that the driver sees few.
//
// All of it is memory that the host can reach, and stays mapped. (Staging for devices whose memory it cannot comes later.)
#pragma once

#include "backend/vulkan/device.h"

#include <vector>

namespace tidepool::inline v0 {

struct VulkanMemory : Memory {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::size_t place = 0;  // in the list of all
};

class VulkanHeap {
 public:
  explicit VulkanHeap(VulkanDevice& device);
  ~VulkanHeap();  // frees what is left: after a loss nobody calls `free`
  VulkanHeap(const VulkanHeap&) = delete;
  VulkanHeap& operator=(const VulkanHeap&) = delete;

  VulkanMemory* allocate(std::size_t bytes);  // null when there is none left
  void free(VulkanMemory* memory);

 private:
  bool fill(VulkanMemory& memory, std::size_t bytes);
  void destroy(VulkanMemory& memory);

  VulkanDevice& device_;
  std::uint32_t type_ = 0;
  std::size_t heap_bytes_ = 0;
  std::vector<VulkanMemory*> all_;
};

}  // namespace tidepool::inline v0
