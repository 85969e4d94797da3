// The process's one VkInstance, made when first asked for. A machine without loader, driver or device just lists nothing.
//
//     const auto instance = vulkan_instance();
//     for (const PhysicalDevice& device : instance->devices()) …
//
// TIDEPOOL_VALIDATION=1 turns on the Khronos layer with synchronization validation, "gpu" with checks of every access that a shader
// makes; tests then assert that validation_messages() stays 0.
#pragma once

#include "backend/vulkan/vulkan.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

// A device that has Vulkan 1.2 and a queue for compute.
struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::uint32_t compute_family = 0;
  std::uint32_t timestamp_bits = 0;  // of that family's clock; 0: it has none
  bool push_descriptor = false;      // extensions that it offers
  bool memory_budget = false;
  bool maintenance4 = false;
  bool pci_bus_info = false;
  bool any_lane = false;            // work items can ask for the value of a lane whose number was computed
  bool portability_subset = false;  // not quite Vulkan: to be said when it is opened
};

// Those that can be used; of the others, in words, why not.
std::vector<PhysicalDevice> find_devices(VkInstance instance, std::vector<std::string>& unusable);

class VulkanInstance {
 public:
  VulkanInstance();
  ~VulkanInstance();
  VulkanInstance(const VulkanInstance&) = delete;
  VulkanInstance& operator=(const VulkanInstance&) = delete;

  VkInstance handle() const { return handle_; }
  std::span<const PhysicalDevice> devices() const { return devices_; }
  // Devices that are there and cannot be used, and why.
  std::span<const std::string> unusable() const { return unusable_; }
  // Whether objects and launches get names: with validation, under RenderDoc, or by TIDEPOOL_VULKAN_LABELS=1.
  bool labels() const { return labels_; }
  // Leaves the VkInstance to the end of the process: a device that does not answer still hangs on it.
  void keep_forever() const { keep_ = true; }

 private:
  VkInstance handle_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  std::vector<PhysicalDevice> devices_;
  std::vector<std::string> unusable_;
  bool labels_ = false;
  mutable std::atomic<bool> keep_ = false;
};

// Safe from any thread. The instance is not destroyed at exit, where drivers may already be gone.
std::shared_ptr<const VulkanInstance> vulkan_instance();
// Destroys the instance; the next call of vulkan_instance makes a new one. False, and nothing done, while someone holds it.
bool close_vulkan_instance();
std::string wanted_validation();   // "0", "1" or "gpu"
bool validation_layer_is_there();  // asks the loader, which vulkan_instance has opened
// How many warnings and errors the validation layer has given.
std::uint64_t validation_messages();

}  // namespace tidepool::inline v0
