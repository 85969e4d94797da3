// How busy a device is, and who says so.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace tidepool::inline v0 {

struct Load {
  std::optional<double> value;  // 0 to 1; absent when nobody knows, never 0 for that
  std::string source;           // where it was read; with an absent value why it is not believed, or nothing
};

using LoadClock = std::chrono::steady_clock;

// Where the kernel's folders and NVIDIA's library are; tests have recorded ones.
struct LoadRoots {
  std::string sys = "/sys";
  std::string proc = "/proc";
  std::string nvml = "libnvidia-ml.so.1";
};

}  // namespace tidepool::inline v0
