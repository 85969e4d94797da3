#include "device/list.h"

#include "backend/cpu/cpu_backend.h"
#ifdef TIDEPOOL_VULKAN
#include "backend/vulkan/vulkan_backend.h"
#endif
#include "platform/cat.h"

namespace tidepool::inline v0 {

std::vector<ListedDevice> list_devices() {
  std::vector<ListedDevice> all;
  all.push_back({.id = "cpu", .info = cpu_info(), .place = {}});
#ifdef TIDEPOOL_VULKAN
  const std::vector<BackendInfo> infos = list_vulkan_devices();
  const std::vector<PciDevice> places = list_vulkan_places();
  for (std::size_t i = 0; i < infos.size() && i < places.size(); ++i)
    all.push_back({.id = cat("vulkan:", i), .info = infos[i], .place = places[i]});
#endif
  return all;
}

}  // namespace tidepool::inline v0
