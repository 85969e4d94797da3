#include "platform/process_barrier.h"

#include "platform/sanitizers.h"

#ifdef __linux__

#include <chrono>
#include <thread>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tidepool::inline v0 {

namespace {
bool ask(int command) { return syscall(SYS_membarrier, command, 0U, 0) == 0; }
bool announce() { return ask(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); }
}  // namespace

bool has_process_barrier() {
#ifdef TIDEPOOL_THREAD_SANITIZER
  return false;
#else
  static const bool there = announce();
  return there;
#endif
}

void process_barrier() {
  if (ask(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
  if (announce() && ask(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;  // after a fork, where the kernel forgets
  std::this_thread::sleep_for(std::chrono::milliseconds(10));       // forbidden since: no processor holds a write back for so long
}

}  // namespace tidepool::inline v0

#else

namespace tidepool::inline v0 {

bool has_process_barrier() { return false; }
void process_barrier() {}  // where there is none, nobody relies on one: every lock is an exchange

}  // namespace tidepool::inline v0

#endif
