// The processor's time that the calling thread has had. Inline, as the live page is a library of its own.
#pragma once

#include <cstdint>
#include <ctime>

namespace tidepool::inline v0 {

inline std::int64_t thread_nanoseconds() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}
inline double thread_seconds() { return static_cast<double>(thread_nanoseconds()) * 1e-9; }

}  // namespace tidepool::inline v0
