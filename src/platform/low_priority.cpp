#include "platform/low_priority.h"

#include <sys/resource.h>
#include <unistd.h>

namespace tidepool::inline v0 {

void lower_priority() {
#ifdef __linux__
  // Of this thread alone, though POSIX says the process. Not SCHED_IDLE: it might hold a driver's lock and never run.
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19);
#endif
}

}  // namespace tidepool::inline v0
