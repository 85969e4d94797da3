#include "backend/vulkan/instance.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "platform/cat.h"
#include "platform/environment.h"

namespace tidepool::inline v0 {
namespace {

constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";
std::atomic<std::uint64_t> messages = 0;

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  ++messages;
  std::string line = data->pMessage ? data->pMessage : "(no text)";
  std::ranges::replace(line, '\n', ' ');
  std::fprintf(stderr, "vulkan validation: %s\n", line.c_str());
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info() {
  return {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
          .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
          // Not GENERAL: there the loader tells of drivers that it could not use.
          .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
          .pfnUserCallback = on_message};
}

// Vulkan's way to list things: ask how many, then for all of them; again when the number grew in between.
template <class T, class F>
std::vector<T> list(F&& enumerate) {
  std::vector<T> all;
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {
    std::uint32_t count = 0;
    if (enumerate(&count, nullptr) != VK_SUCCESS) return {};
    all.resize(count);
    result = enumerate(&count, all.data());
    all.resize(count);
  }
  if (result != VK_SUCCESS) all.clear();
  return all;
}

bool has_extension(const std::vector<VkExtensionProperties>& all, std::string_view name) {
  return std::ranges::any_of(all, [&](const VkExtensionProperties& e) { return name == e.extensionName; });
}

bool validation_can_be_used() {
  const auto layers =
      list<VkLayerProperties>([](std::uint32_t* n, VkLayerProperties* all) { return vkEnumerateInstanceLayerProperties(n, all); });
  if (std::ranges::none_of(layers, [](const VkLayerProperties& l) { return std::string_view(l.layerName) == validation_layer; }))
    return false;
  const auto extensions = list<VkExtensionProperties>(
      [](std::uint32_t* n, VkExtensionProperties* all) { return vkEnumerateInstanceExtensionProperties(validation_layer, n, all); });
  return has_extension(extensions, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) &&
         has_extension(extensions, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
}

bool labels_are_wanted() { return switched_on("TIDEPOOL_VULKAN_LABELS") || environment("ENABLE_VULKAN_RENDERDOC_CAPTURE"); }

// What the loader itself offers, without layers.
std::vector<VkExtensionProperties> instance_extensions() {
  return list<VkExtensionProperties>(
      [](std::uint32_t* n, VkExtensionProperties* all) { return vkEnumerateInstanceExtensionProperties(nullptr, n, all); });
}

VkInstance make_instance(bool validation, bool labels, bool portability) {
  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                      .pApplicationName = "tidepool",
                                      .pEngineName = "tidepool",
                                      .apiVersion = VK_API_VERSION_1_2};
  constexpr VkValidationFeatureEnableEXT synchronization[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  constexpr VkValidationFeatureEnableEXT on_the_device[] = {VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT,
                                                            VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT};
  const std::span<const VkValidationFeatureEnableEXT> enabled =
      wanted_validation() == "gpu" ? std::span<const VkValidationFeatureEnableEXT>(on_the_device) : synchronization;
  const VkValidationFeaturesEXT features{.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                         .enabledValidationFeatureCount = static_cast<std::uint32_t>(enabled.size()),
                                         .pEnabledValidationFeatures = enabled.data()};
  auto messenger = messenger_info();  // in the chain it hears what happens while the instance is made and destroyed
  messenger.pNext = &features;
  std::vector<const char*> extensions;
  if (labels) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (validation) extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
  if (portability) extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
  const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                  .pNext = validation ? &messenger : nullptr,
                                  // MoltenVK's devices are listed only to those who know that they are not quite Vulkan.
                                  .flags = portability ? VkInstanceCreateFlags{VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR} : 0,
                                  .pApplicationInfo = &application,
                                  .enabledLayerCount = validation ? 1u : 0u,
                                  .ppEnabledLayerNames = &validation_layer,
                                  .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                  .ppEnabledExtensionNames = extensions.data()};
  VkInstance instance = VK_NULL_HANDLE;
  return vkCreateInstance(&info, nullptr, &instance) == VK_SUCCESS ? instance : VK_NULL_HANDLE;
}

// A family for compute alone is taken first: there we do not queue behind the desktop.
bool find_compute_family(PhysicalDevice& device) {
  std::uint32_t& family = device.compute_family;
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, families.data());
  bool found = false;
  for (std::uint32_t i = count; i-- > 0;) {
    const VkQueueFlags flags = families[i].queueFlags;
    if (!(flags & VK_QUEUE_COMPUTE_BIT) || families[i].queueCount == 0) continue;
    const bool alone = !(flags & VK_QUEUE_GRAPHICS_BIT);
    const bool held_alone = found && !(families[family].queueFlags & VK_QUEUE_GRAPHICS_BIT);
    if (found && held_alone && !alone) continue;
    family = i;
    device.timestamp_bits = families[i].timestampValidBits;
    found = true;
  }
  return found;
}

// Reached through a pointer that is never freed, so that nothing runs at exit.
struct Shared {
  std::mutex mutex;
  std::shared_ptr<const VulkanInstance> instance;
};
Shared& shared() {
  static Shared* const only = new Shared;
  return *only;
}

}  // namespace

std::vector<PhysicalDevice> find_devices(VkInstance instance, std::vector<std::string>& unusable) {
  std::vector<PhysicalDevice> found;
  const auto handles =
      list<VkPhysicalDevice>([&](std::uint32_t* n, VkPhysicalDevice* all) { return vkEnumeratePhysicalDevices(instance, n, all); });
  for (const VkPhysicalDevice handle : handles) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(handle, &properties);
    PhysicalDevice device{.handle = handle};
    if (properties.apiVersion < VK_API_VERSION_1_2) {
      unusable.push_back(cat(properties.deviceName, " has Vulkan ", VK_API_VERSION_MAJOR(properties.apiVersion), '.',
                             VK_API_VERSION_MINOR(properties.apiVersion), ", wanted 1.2"));
      continue;
    }
    if (!find_compute_family(device)) {
      unusable.push_back(cat(properties.deviceName, " has no queue for compute"));
      continue;
    }
    const auto extensions = list<VkExtensionProperties>(
        [&](std::uint32_t* n, VkExtensionProperties* all) { return vkEnumerateDeviceExtensionProperties(handle, nullptr, n, all); });
    device.push_descriptor = has_extension(extensions, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
    device.memory_budget = has_extension(extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    device.portability_subset = has_extension(extensions, "VK_KHR_portability_subset");
    device.pci_bus_info = has_extension(extensions, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
    device.maintenance4 = has_extension(extensions, VK_KHR_MAINTENANCE_4_EXTENSION_NAME);
    VkPhysicalDeviceVulkan12Features features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features};
    vkGetPhysicalDeviceFeatures2(handle, &all);
    device.any_lane = features.subgroupBroadcastDynamicId == VK_TRUE;
    found.push_back(device);
  }
  return found;
}

VulkanInstance::VulkanInstance() {
  if (volkInitialize() != VK_SUCCESS || volkGetInstanceVersion() < VK_API_VERSION_1_2) return;
  const bool wanted = wanted_validation() != "0";
  const bool validation = wanted && validation_can_be_used();
  if (wanted && !validation)
    std::fprintf(stderr, "tidepool: TIDEPOOL_VALIDATION is set, but %s is not installed; going on without it\n", validation_layer);
  const std::vector<VkExtensionProperties> extensions = instance_extensions();
  labels_ = validation || (labels_are_wanted() && has_extension(extensions, VK_EXT_DEBUG_UTILS_EXTENSION_NAME));
  handle_ = make_instance(validation, labels_, has_extension(extensions, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME));
  if (!handle_) return;
  volkLoadInstanceOnly(handle_);
  if (validation) {
    const auto info = messenger_info();
    vkCreateDebugUtilsMessengerEXT(handle_, &info, nullptr, &messenger_);
  }
  devices_ = find_devices(handle_, unusable_);
}

VulkanInstance::~VulkanInstance() {
  if (!handle_ || keep_) return;
  if (messenger_) vkDestroyDebugUtilsMessengerEXT(handle_, messenger_, nullptr);
  vkDestroyInstance(handle_, nullptr);
}

std::shared_ptr<const VulkanInstance> vulkan_instance() {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  if (!all.instance) all.instance = std::make_shared<const VulkanInstance>();
  return all.instance;
}

bool close_vulkan_instance() {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  if (all.instance.use_count() > 1) return false;  // copies are made under the lock only, so the number cannot grow now
  all.instance.reset();
  return true;
}

std::string wanted_validation() { return environment_word("TIDEPOOL_VALIDATION", {"0", "1", "gpu"}); }

bool validation_layer_is_there() { return validation_can_be_used(); }

std::uint64_t validation_messages() { return messages; }

}  // namespace tidepool::inline v0
