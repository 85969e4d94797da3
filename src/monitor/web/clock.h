// The two clocks of the server: time as it passes, and processor time of the calling thread. In seconds.
#pragma once

#include <ctime>

namespace tidepool::inline v0::monitor::web {

inline double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
inline double time_now() { return seconds_of(CLOCK_MONOTONIC); }
inline double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace tidepool::inline v0::monitor::web
