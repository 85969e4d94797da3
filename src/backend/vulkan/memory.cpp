#include "backend/vulkan/memory.h"

#include <tidepool/error.h>

#include <algorithm>
#include <memory>

#include "platform/environment.h"

namespace tidepool::inline v0 {
namespace {

constexpr VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;

VkBufferCreateInfo buffer_info(std::size_t bytes) {
  return {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
          .size = bytes,
          .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
          .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
}

bool means_out_of_memory(VkResult result) {
  return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_TOO_MANY_OBJECTS ||
         result == VK_ERROR_MEMORY_MAP_FAILED;
}

// The window through which a host sees a discrete card's memory is often 256 MB: too little to live in.
bool roomy(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type) {
  VkDeviceSize largest = 0;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) largest = std::max(largest, memory.memoryHeaps[i].size);
  return memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size >= largest / 2;
}

struct Choice {
  std::uint32_t type;
  bool mapped;
};

// The first type that has all the wanted properties, best wish first; of the types that a buffer may live in.
Choice choose_type(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t allowed, VulkanHeap::Kind kind) {
  const bool forced = switched_on("TIDEPOOL_VULKAN_STAGING");  // all memory counts as out of reach
  for (const VkMemoryPropertyFlags wish : {local | visible | cached, local | visible, local, visible | cached, visible})
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
      const VkMemoryPropertyFlags has = memory.memoryTypes[i].propertyFlags;
      if (!(allowed & (1u << i)) || (has & wish) != wish || (has & VK_MEMORY_PROPERTY_PROTECTED_BIT)) continue;
      if (kind == VulkanHeap::Kind::staging) {
        if (wish == (visible | cached) || wish == visible) return {i, true};
        continue;
      }
      if ((wish & local) && !roomy(memory, i)) continue;
      return {i, (wish & visible) != 0 && !forced};
    }
  throw DeviceError("vulkan",
                    "the device has no memory that the host can reach, wanted HOST_VISIBLE and HOST_COHERENT; use another device");
}

}  // namespace

VulkanHeap::VulkanHeap(VulkanDevice& device, Kind kind) : device_(device) {
  // Which types a buffer may live in depends on its usage alone, so a small one tells for all.
  const auto info = buffer_info(256);
  VkBuffer probe = VK_NULL_HANDLE;
  device_.check(device_.call.vkCreateBuffer(device_.handle, &info, nullptr, &probe), "vkCreateBuffer");
  VkMemoryRequirements needs;
  device_.call.vkGetBufferMemoryRequirements(device_.handle, probe, &needs);
  device_.call.vkDestroyBuffer(device_.handle, probe, nullptr);

  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device_.physical.handle, &memory);
  const Choice choice = choose_type(memory, needs.memoryTypeBits, kind);
  type_ = choice.type;
  mapped_ = choice.mapped;
  slow_to_read_ = mapped_ && !(memory.memoryTypes[type_].propertyFlags & cached);
  heap_bytes_ = memory.memoryHeaps[memory.memoryTypes[type_].heapIndex].size;
}

VulkanHeap::~VulkanHeap() {
  for (VulkanMemory* memory : all_) {
    destroy(*memory);
    delete memory;
  }
}

VulkanMemory* VulkanHeap::allocate(std::size_t bytes) {
  // Asking for more than these is not an error that a driver reports, but undefined.
  if (all_.size() >= device_.limits.maxMemoryAllocationCount) return nullptr;
  if (bytes > std::min({heap_bytes_, device_.max_allocation_bytes, device_.max_buffer_bytes}) - 3) return nullptr;
  bytes = (std::max<std::size_t>(bytes, 1) + 3) & ~std::size_t{3};  // shaders read bytes as words

  auto memory = std::make_unique<VulkanMemory>();
  all_.reserve(all_.size() + 1);
  bool filled = false;
  try {
    filled = fill(*memory, bytes);
  } catch (...) {
    destroy(*memory);
    throw;
  }
  if (!filled) {
    destroy(*memory);
    return nullptr;
  }
  memory->place = all_.size();
  all_.push_back(memory.get());
  return memory.release();
}

bool VulkanHeap::fill(VulkanMemory& memory, std::size_t bytes) {
  bool out = false;
  const auto done = [&](VkResult result, const char* called) {
    out = means_out_of_memory(result);
    if (!out) device_.check(result, called);
    return !out;
  };
  const auto buffer = buffer_info(bytes);
  if (!done(device_.call.vkCreateBuffer(device_.handle, &buffer, nullptr, &memory.buffer), "vkCreateBuffer")) return false;
  VkMemoryRequirements needs;
  device_.call.vkGetBufferMemoryRequirements(device_.handle, memory.buffer, &needs);
  if (needs.size > std::min(heap_bytes_, device_.max_allocation_bytes)) return false;
  const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type_};
  if (!done(device_.call.vkAllocateMemory(device_.handle, &info, nullptr, &memory.memory), "vkAllocateMemory")) return false;
  if (!done(device_.call.vkBindBufferMemory(device_.handle, memory.buffer, memory.memory, 0), "vkBindBufferMemory")) return false;
  memory.bytes = bytes;
  device_.name(VK_OBJECT_TYPE_BUFFER, memory.buffer, "tidepool memory");
  if (!mapped_) return true;
  void* host = nullptr;
  if (!done(device_.call.vkMapMemory(device_.handle, memory.memory, 0, VK_WHOLE_SIZE, 0, &host), "vkMapMemory")) return false;
  memory.host = static_cast<std::byte*>(host);
  return true;
}

void VulkanHeap::free(VulkanMemory* memory) {
  all_.back()->place = memory->place;
  std::swap(all_[memory->place], all_.back());
  all_.pop_back();
  destroy(*memory);
  delete memory;
}

void VulkanHeap::destroy(VulkanMemory& memory) {
  if (device_.abandoned) return;
  device_.call.vkDestroyBuffer(device_.handle, memory.buffer, nullptr);
  device_.call.vkFreeMemory(device_.handle, memory.memory, nullptr);  // unmaps it too
}

}  // namespace tidepool::inline v0
