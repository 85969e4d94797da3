// Device memory: one buffer with memory of its own for each call. The pool above cuts slabs, so that the driver sees few.
//
// Where the device's own memory is in the host's reach (integrated devices, resizable BARs), or there is no other, it stays mapped
// and is used directly; otherwise `host` is null, and copies go through staging.h.
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
  enum class Kind { tensors, staging };  // staging: memory of the host's own
  explicit VulkanHeap(VulkanDevice& device, Kind kind = Kind::tensors);
  ~VulkanHeap();  // frees what is left: after a loss nobody calls `free`
  VulkanHeap(const VulkanHeap&) = delete;
  VulkanHeap& operator=(const VulkanHeap&) = delete;

  VulkanMemory* allocate(std::size_t bytes);  // null when there is none left
  void free(VulkanMemory* memory);
  bool slow_to_read() const { return slow_to_read_; }  // by the host: mapped, but not cached

 private:
  bool fill(VulkanMemory& memory, std::size_t bytes);
  void destroy(VulkanMemory& memory);

  VulkanDevice& device_;
  std::uint32_t type_ = 0;
  std::size_t heap_bytes_ = 0;
  bool mapped_ = true, slow_to_read_ = false;
  std::vector<VulkanMemory*> all_;
};

}  // namespace tidepool::inline v0
