// Faults on demand inside Vulkan: every function that gives a result can be made to give another, without being called.
#pragma once

#include <optional>
#include <string_view>

struct VolkDeviceTable;
struct VkInstance_T;

namespace tidepool::inline v0 {

bool is_shimmed(std::string_view function);
std::optional<int> vulkan_result(std::string_view name);  // "VK_ERROR_DEVICE_LOST", "-4"

// Puts itself before the functions of a device's table that give a result.
void put_shims(VolkDeviceTable& table, VkInstance_T* instance);

}  // namespace tidepool::inline v0
