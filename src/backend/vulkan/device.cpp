#include "backend/vulkan/device.h"

#include <tidepool/error.h>

#include <algorithm>
#include <bit>

#include "backend/faults.h"
#include "backend/vulkan/shim.h"
#include "platform/cat.h"
#include "platform/environment.h"

namespace tidepool::inline v0 {
namespace {

const char* kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "software";
    default:
      return "virtual";
  }
}

// What Vulkan guarantees of every device. A driver that says less is broken, and the rest of what it says not to be trusted.
void require_sane(const VkPhysicalDeviceLimits& limits) {
  struct Least {
    const char* name;
    std::uint64_t got, least;
  };
  const Least all[] = {{"maxPushConstantsSize", limits.maxPushConstantsSize, 128},
                       {"maxStorageBufferRange", limits.maxStorageBufferRange, std::uint64_t{1} << 27},
                       {"maxPerStageDescriptorStorageBuffers", limits.maxPerStageDescriptorStorageBuffers, 4},
                       {"maxComputeWorkGroupCount[0]", limits.maxComputeWorkGroupCount[0], 65535},
                       {"maxComputeWorkGroupCount[1]", limits.maxComputeWorkGroupCount[1], 65535},
                       {"maxComputeWorkGroupCount[2]", limits.maxComputeWorkGroupCount[2], 65535},
                       {"maxComputeWorkGroupSize[0]", limits.maxComputeWorkGroupSize[0], 128},
                       {"maxComputeWorkGroupInvocations", limits.maxComputeWorkGroupInvocations, 128},
                       {"maxMemoryAllocationCount", limits.maxMemoryAllocationCount, 4096}};
  for (const Least& limit : all)
    if (limit.got < limit.least)
      throw DeviceError("vulkan", cat("the driver says that ", limit.name, " is ", limit.got, ", and Vulkan guarantees ", limit.least,
                                      "; update the driver, or use the device \"cpu\""));
  const VkDeviceSize alignment = limits.minStorageBufferOffsetAlignment;
  if (alignment > 256 || !std::has_single_bit(alignment))
    throw DeviceError("vulkan", cat("the driver says that minStorageBufferOffsetAlignment is ", alignment,
                                    ", and Vulkan guarantees a power of two up to 256; update the driver, or use the device \"cpu\""));
}

}  // namespace

BackendInfo describe(const PhysicalDevice& device) {
  VkPhysicalDeviceSubgroupProperties subgroups{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceDriverProperties driver{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, .pNext = &subgroups};
  VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
  vkGetPhysicalDeviceProperties2(device.handle, &all);
  const VkPhysicalDeviceProperties& properties = all.properties;

  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 memory{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                           .pNext = device.memory_budget ? &budget : nullptr};
  vkGetPhysicalDeviceMemoryProperties2(device.handle, &memory);

  BackendInfo info;
  info.name = properties.deviceName;
  info.kind = kind_of(properties.deviceType);
  info.driver = cat(driver.driverName, ' ', driver.driverInfo);
  for (std::uint32_t i = 0; i < memory.memoryProperties.memoryHeapCount; ++i) {
    const VkMemoryHeap& heap = memory.memoryProperties.memoryHeaps[i];
    if (!(heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) || heap.size <= info.memory_total) continue;
    info.memory_total = heap.size;
    // A crowded device can report more in use than it grants us.
    info.memory_free = device.memory_budget ? budget.heapBudget[i] - std::min(budget.heapBudget[i], budget.heapUsage[i]) : heap.size;
  }
  // Nonsense is refused when the device is opened; until then it is listed.
  info.offset_alignment = std::bit_ceil(std::clamp<std::size_t>(properties.limits.minStorageBufferOffsetAlignment, 16, 256));
  info.max_binding_bytes = properties.limits.maxStorageBufferRange;
  info.bindings = std::min<std::size_t>(max_bindings, properties.limits.maxPerStageDescriptorStorageBuffers);
  // llvmpipe ends a shader's loops after 65,535 iterations in all, without a word.
  if (driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE) info.max_loop = 60000;
  if (device.any_lane && (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
      (subgroups.supportedOperations & VK_SUBGROUP_FEATURE_BALLOT_BIT) && !switched_on("TIDEPOOL_VULKAN_NO_SUBGROUPS"))
    info.lanes = subgroups.subgroupSize;
  info.shaders = true;
  return info;
}

PciDevice place_of(const PhysicalDevice& device) {
  VkPhysicalDevicePCIBusInfoPropertiesEXT bus{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = device.pci_bus_info ? &bus : nullptr};
  vkGetPhysicalDeviceProperties2(device.handle, &all);
  if (all.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) return {};
  PciDevice place{.vendor = all.properties.vendorID, .device = all.properties.deviceID};
  if (device.pci_bus_info) place.address = pci_address(bus.pciDomain, bus.pciBus, bus.pciDevice, bus.pciFunction);
  return place;
}

VulkanDevice::VulkanDevice(std::shared_ptr<const VulkanInstance> from, const PhysicalDevice& which)
    : instance(std::move(from)), physical(which) {
  VkPhysicalDeviceMaintenance4Properties buffers{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
  VkPhysicalDeviceMaintenance3Properties allocations{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
                                                     .pNext = physical.maintenance4 ? &buffers : nullptr};
  VkPhysicalDeviceSubgroupProperties subgroups{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, .pNext = &allocations};
  VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &subgroups};
  vkGetPhysicalDeviceProperties2(physical.handle, &all);
  properties = all.properties;
  limits = properties.limits;
  require_sane(limits);
  max_allocation_bytes = allocations.maxMemoryAllocationSize;
  if (physical.maintenance4) max_buffer_bytes = buffers.maxBufferSize;
  if (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) subgroup_operations = subgroups.supportedOperations;
  // The layer's checks on the device take pushed descriptors for none.
  push_descriptors = physical.push_descriptor && !switched_on("TIDEPOOL_VULKAN_NO_PUSH_DESCRIPTOR") && wanted_validation() != "gpu";

  const float priority = 1.0f;
  const VkDeviceQueueCreateInfo queue_info{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = physical.compute_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
  std::vector<const char*> extensions;
  if (push_descriptors) extensions.push_back(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  if (physical.portability_subset) extensions.push_back("VK_KHR_portability_subset");
  const VkPhysicalDeviceVulkan12Features features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                  .subgroupBroadcastDynamicId = physical.any_lane};
  const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .pNext = &features,
                                .queueCreateInfoCount = 1,
                                .pQueueCreateInfos = &queue_info,
                                .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                .ppEnabledExtensionNames = extensions.data()};
  const int fault = vulkan_fault_at("vkCreateDevice");
  check(fault ? static_cast<VkResult>(fault) : vkCreateDevice(physical.handle, &info, nullptr, &handle), "vkCreateDevice");
  volkLoadDeviceTable(&call, handle);
  put_shims(call, instance->handle());
  call.vkGetDeviceQueue(handle, physical.compute_family, 0, &queue);
  enlist();
}

VulkanDevice::~VulkanDevice() {
  leave();
  if (abandoned)
    instance->keep_forever();
  else
    call.vkDestroyDevice(handle, nullptr);
}

void VulkanDevice::set_name(VkObjectType type, std::uint64_t object, const char* text) const {
  const VkDebugUtilsObjectNameInfoEXT info{
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, .objectType = type, .objectHandle = object, .pObjectName = text};
  vkSetDebugUtilsObjectNameEXT(handle, &info);
}

void VulkanDevice::check(VkResult result, const char* called) {
  if (result == VK_SUCCESS) return;
  if (result == VK_ERROR_DEVICE_LOST) {
    lost = true;
    // Behind a loss that was asked for the device is well, and must be done with our work before we let go of it.
    if (handle && any_faults.load(std::memory_order_relaxed)) call.vkDeviceWaitIdle(handle);
    throw DeviceLost("vulkan", cat(called, " gave VK_ERROR_DEVICE_LOST: the driver has given the device up"));
  }
  throw DeviceError("vulkan", cat(called, " gave ", name_of(result), ", wanted VK_SUCCESS"));
}

void VulkanDevice::submit(const VkCommandBuffer& commands, VkFence fence) {
  const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  give_work();
  const std::scoped_lock lock(submitting_);
  check(call.vkQueueSubmit(queue, 1, &info, fence), "vkQueueSubmit");
}

// A fence behind an empty submission tells of all that were before. Whatever fails here, the process ends.
void VulkanDevice::end() noexcept {
  const std::unique_lock lock(submitting_, std::try_to_lock);
  if (!lock || lost || abandoned) return;
  const VkFenceCreateInfo info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = VK_NULL_HANDLE;
  if (call.vkCreateFence(handle, &info, nullptr, &fence) != VK_SUCCESS) return;
  VkResult result = call.vkQueueSubmit(queue, 0, nullptr, fence);
  if (result == VK_SUCCESS) result = wait_for(fence, patience);
  if (result == VK_TIMEOUT)
    abandoned = true;
  else
    call.vkDestroyFence(handle, fence, nullptr);
}

VkResult VulkanDevice::wait_for(const VkFence& fence, std::chrono::nanoseconds time) const {
  constexpr int pieces = 10;
  VkResult result = VK_TIMEOUT;
  for (int i = 0; i < pieces && result == VK_TIMEOUT; ++i)
    result = call.vkWaitForFences(handle, 1, &fence, VK_TRUE, static_cast<std::uint64_t>(time.count() / pieces + 1));
  return result;
}

void VulkanDevice::give_up(std::chrono::nanoseconds waited) {
  abandoned = true;
  throw DeviceLost("vulkan", cat("the device did not answer for ", std::chrono::duration<double>(waited).count(),
                                 " s and counts as lost; look for a kernel that does not end"));
}

}  // namespace tidepool::inline v0
