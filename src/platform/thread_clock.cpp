#include "platform/thread_clock.h"

#include <ctime>

namespace tidepool::inline v0 {

std::int64_t thread_nanoseconds() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace tidepool::inline v0
