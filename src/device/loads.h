// How busy each device is. A load is the work between two readings, so it gets known as devices are listed again and again;
// who needs it at once waits a moment.
#pragma once

#include "device/list.h"
#include "platform/load/load.h"

#include <chrono>
#include <functional>
#include <string>

namespace tidepool::inline v0 {

Load load_of(const ListedDevice& device);           // reads anew unless that was just done; never waits
Load load_of(const std::string& id);                // likewise; of the CPU without looking for other devices, which would open Vulkan
void settle_loads();                                // takes a fifth of a second, after which every load is known that can be
std::chrono::milliseconds between_looks_at_load();  // of who works on a device that is shared

// For tests: what load_of says of a device, for as long as this lives. Who works there looks at it fifty times a second.
//
//     const PretendedLoad crowd("null", [] { return Load{.value = 0.9, .source = "the test"}; });
class PretendedLoad {
 public:
  PretendedLoad(std::string id, std::function<Load()> load);
  ~PretendedLoad();
  PretendedLoad(const PretendedLoad&) = delete;
  PretendedLoad& operator=(const PretendedLoad&) = delete;

 private:
  std::string id_;
};

}  // namespace tidepool::inline v0
