// What a container or a service manager lets this process use, which /proc/meminfo and the number of cores do not tell.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tidepool::inline v0 {

struct CgroupLimits {
  std::optional<double> cores;  // of processor time; 1.5 is one and a half
  std::optional<std::size_t> memory;
};

// Control groups of version 2, and version 1 as containers mount it. Both folders are parameters for tests.
CgroupLimits cgroup_limits(const std::string& sys = "/sys", const std::string& proc = "/proc");

}  // namespace tidepool::inline v0
