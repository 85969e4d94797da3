// The Vulkan backend: compute on any device with Vulkan 1.2, through a loader that is opened when first needed.
//
//     for (const BackendInfo& info : list_vulkan_devices()) …      // empty without loader, driver or device
//     auto backend = open_vulkan(0);
//
// TIDEPOOL_VULKAN_NO_PUSH_DESCRIPTOR=1 makes it do without that extension, as on drivers that lack it.
#pragma once

#include "backend/backend.h"
#include "platform/load/drm_card.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace tidepool::inline v0 {

std::vector<BackendInfo> list_vulkan_devices();
// Where each of them sits, in the same order; nothing for those that are software.
std::vector<PciDevice> list_vulkan_places();
// Pipelines: how many there are at most, but for those that work under way and recordings need.
std::unique_ptr<Backend> open_vulkan(std::size_t index, std::size_t most_pipelines = 1024);

}  // namespace tidepool::inline v0
