// The file that a user with a GPU can send: one Markdown page, with nothing in it about the user.
#pragma once

#include <tidepool/device.h>

#include <string>
#include <vector>

#include "backend/vulkan/survey.h"
#include "cli/doctor/findings.h"
#include "cli/doctor/trial.h"

namespace tidepool::cli {

struct Report {
  const std::vector<DeviceInfo>& devices;
  const Findings& findings;
  const VulkanSurvey& survey;
  const std::vector<Trial>& trials;     // one for each of them
  const std::vector<Trial>& validated;  // of Vulkan devices, with validation; empty without the layers
};

std::string report_text(const Report& report);

}  // namespace tidepool::cli
