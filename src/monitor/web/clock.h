// The server's clock: seconds as they pass.
#pragma once

#include <ctime>

namespace tidepool::inline v0::monitor::web {

inline double time_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace tidepool::inline v0::monitor::web
