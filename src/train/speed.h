// How fast training goes, against how fast it went.
#pragma once

#include <tidepool/device.h>

#include "device/slowness.h"

#include <cstdint>
#include <limits>
#include <optional>

namespace tidepool::inline v0 {

struct Speed {
  Slowness slowness;
  double seconds = 0;  // of the stretch that is being timed
  std::int64_t samples = 0;
  double since_warning = std::numeric_limits<double>::infinity();  // seconds
  std::optional<Device> left;                                      // for being slow
  double seconds_there = 0;                                        // that a sample took at last
  std::int64_t stretches = 0;                                      // since then
  bool stay = false;                                               // leaving has been no help
};

}  // namespace tidepool::inline v0
