// Vulkan, opened at run time through volk. Every source here includes this and never <vulkan/vulkan.h> itself.
#pragma once

#include "shaders/volk_names.h"  // made at build time: volk's names under our own prefix, so that a program may have its own volk or loader

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <volk.h>

// What a Vulkan structure leaves out is zero and means the default; naming every member would bury those that matter.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#include <string>

namespace tidepool::inline v0 {

// "VK_ERROR_DEVICE_LOST" and so on, for messages.
std::string name_of(VkResult result);

}  // namespace tidepool::inline v0
