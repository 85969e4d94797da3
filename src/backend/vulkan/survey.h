// What there is of Vulkan on this machine, in words: for `tidepool doctor` and its report.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tidepool::inline v0 {

using Traits = std::vector<std::pair<std::string, std::string>>;  // name and value

struct VulkanSurvey {
  bool loader = false;
  std::string loader_version;
  bool validation_layer = false;
  std::vector<std::string> unusable;  // devices that are there, and what they lack
  std::vector<Traits> devices;        // limits and features, in the order of list_vulkan_devices
};

VulkanSurvey survey_vulkan();
std::uint64_t validation_messages();  // of instance.h, which brings in all of Vulkan

}  // namespace tidepool::inline v0
