// The doctor's checks of a machine. Each says what it found and, where something is wrong, what to do.
#pragma once

#include <tidepool/device.h>

#include <vector>

#include "backend/vulkan/survey.h"
#include "cli/doctor/findings.h"

namespace tidepool::cli {

void check_memory(Findings& findings);
void check_threads(Findings& findings);
void check_cache(Findings& findings);
void check_onednn(Findings& findings);

VulkanSurvey survey();  // empty in a build without Vulkan
// A driver may crash while devices are listed, so that is tried elsewhere first. False: do not ask Vulkan anything here.
bool check_listing(Findings& findings);
void check_loader(Findings& findings, const VulkanSurvey& survey);
void check_drivers(Findings& findings);
void check_permissions(Findings& findings);
void check_validation(Findings& findings, const VulkanSurvey& survey);
void check_devices(Findings& findings, const VulkanSurvey& survey, const std::vector<DeviceInfo>& devices);

}  // namespace tidepool::cli
