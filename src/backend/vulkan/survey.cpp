#include "backend/vulkan/survey.h"

#include <array>
#include <cstdio>

#include "backend/vulkan/instance.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::inline v0 {
namespace {

std::string version_text(std::uint32_t version) {
  return cat(VK_API_VERSION_MAJOR(version), '.', VK_API_VERSION_MINOR(version), '.', VK_API_VERSION_PATCH(version));
}

std::string hexadecimal(std::uint32_t number) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%04x", number);
  return text.data();
}

std::string yes(bool it_is) { return it_is ? "yes" : "no"; }

void add_limits(Traits& traits, VkPhysicalDevice device) {
  VkPhysicalDeviceSubgroupProperties subgroups{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceMaintenance3Properties allocations{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
                                                     .pNext = &subgroups};
  VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &allocations};
  vkGetPhysicalDeviceProperties2(device, &all);
  const VkPhysicalDeviceLimits& limits = all.properties.limits;
  traits.emplace_back("Vulkan", version_text(all.properties.apiVersion));
  traits.emplace_back("vendor, device", cat(hexadecimal(all.properties.vendorID), ", ", hexadecimal(all.properties.deviceID)));
  traits.emplace_back("largest binding", readable_bytes(limits.maxStorageBufferRange));
  traits.emplace_back("largest allocation", readable_bytes(allocations.maxMemoryAllocationSize));
  traits.emplace_back("offset alignment", cat(limits.minStorageBufferOffsetAlignment));
  traits.emplace_back("shared memory", readable_bytes(limits.maxComputeSharedMemorySize));
  traits.emplace_back("work items in a group", cat(limits.maxComputeWorkGroupInvocations));
  traits.emplace_back("groups in a launch", cat(limits.maxComputeWorkGroupCount[0]));
  traits.emplace_back("push constants", readable_bytes(limits.maxPushConstantsSize));
  traits.emplace_back("lanes", cat(subgroups.subgroupSize));
  traits.emplace_back("timestamps", yes(limits.timestampComputeAndGraphics));
}

void add_features(Traits& traits, const PhysicalDevice& device) {
  VkPhysicalDeviceVulkan12Features features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan11Features older{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &features};
  VkPhysicalDeviceFeatures2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &older};
  vkGetPhysicalDeviceFeatures2(device.handle, &all);
  traits.emplace_back("push descriptors", yes(device.push_descriptor));
  traits.emplace_back("memory budget", yes(device.memory_budget));
  traits.emplace_back("maintenance 4", yes(device.maintenance4));
  traits.emplace_back("PCI address", yes(device.pci_bus_info));
  traits.emplace_back("portability subset", yes(device.portability_subset));
  traits.emplace_back("f16 arithmetic", yes(features.shaderFloat16));
  traits.emplace_back("16-bit storage", yes(older.storageBuffer16BitAccess));
}

void add_heaps(Traits& traits, VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    bool mapped = false;
    for (std::uint32_t j = 0; j < memory.memoryTypeCount; ++j)
      mapped |= memory.memoryTypes[j].heapIndex == i && (memory.memoryTypes[j].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
    const bool local = memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
    traits.emplace_back(cat("heap ", i), cat(readable_bytes(memory.memoryHeaps[i].size), local ? ", the device's own" : ", the host's",
                                             mapped ? ", mapped" : ", not mapped"));
  }
}

}  // namespace

VulkanSurvey survey_vulkan() {
  const auto instance = vulkan_instance();
  VulkanSurvey survey;
  const std::uint32_t version = volkGetInstanceVersion();
  survey.loader = version != 0;
  if (!survey.loader) return survey;
  survey.loader_version = version_text(version);
  survey.validation_layer = validation_layer_is_there();
  survey.unusable.assign(instance->unusable().begin(), instance->unusable().end());
  for (const PhysicalDevice& device : instance->devices()) {
    Traits& traits = survey.devices.emplace_back();
    add_limits(traits, device.handle);
    add_features(traits, device);
    add_heaps(traits, device.handle);
  }
  return survey;
}

}  // namespace tidepool::inline v0
