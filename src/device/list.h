// The devices of this machine with what their backends say of them; devices() makes the public list of it.
#pragma once

#include "backend/backend.h"
#include "platform/load/drm_card.h"

#include <string>
#include <vector>

namespace tidepool::inline v0 {

struct ListedDevice {
  std::string id;
  BackendInfo info;
  PciDevice place;  // empty for the CPU and for software
};

std::vector<ListedDevice> list_devices();

}  // namespace tidepool::inline v0
