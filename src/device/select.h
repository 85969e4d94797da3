// The rule by which a device is chosen, over a list that need not be this machine's.
//
//     const Choice choice = choose(devices(), {.min_memory = 2_GiB});
//     if (choice.index) …
#pragma once

#include <tidepool/device.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

struct Choice {
  struct PassedOver {
    std::size_t index;
    std::string why;
  };
  std::optional<std::size_t> index;     // none: nothing fits
  std::vector<PassedOver> passed_over;  // those that come before it in order
};

// Discrete, integrated, virtual, software, CPU; within a kind as they are listed.
std::vector<std::size_t> best_first(const std::vector<DeviceInfo>& all);
// The first in that order that fits, software only where allowed. A load that nobody knows is no reason against a device. Of one that
// fits `trouble` is asked why it cannot be used; it says nothing of one that can.
Choice choose(
    const std::vector<DeviceInfo>& all, const SelectOptions& options,
    const std::function<std::string(const DeviceInfo&)>& trouble = [](const DeviceInfo&) { return std::string(); });
// "vulkan:0 (Some GPU) is 93 % busy, more than the 50 % wanted; …"
std::string passed_over_text(const std::vector<DeviceInfo>& all, const Choice& choice);

}  // namespace tidepool::inline v0
