#include "backend/vulkan/ending.h"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <vector>

namespace tidepool::inline v0 {

// Of this process. Never destroyed: other threads may still come by while it ends.
struct AtTheEnd::List {
  std::mutex mutex;  // taken before any of those that end() takes
  std::vector<AtTheEnd*> all;
  pid_t process = 0;  // that has been told to call end_all in the end
  bool over = false;
};

// A driver makes statics of its own while it compiles, which go before what std::atexit was told earlier; a thread's objects go before
// those.
struct AtTheEnd::OfThread {
  ~OfThread() {
    if (gettid() == getpid()) end_all(false);  // main's, whose end is the process's unless it left by pthread_exit
  }
};

AtTheEnd::List& AtTheEnd::list() {
  static auto& only = *new List;
  return only;
}

void AtTheEnd::end_all(bool over) noexcept {
  List& here = list();
  if (here.process != getpid()) return;  // a fork, which has none of the threads that would do the work
  const std::scoped_lock lock(here.mutex);
  here.over = over;
  for (AtTheEnd* one : here.all) one->end();
}

void AtTheEnd::give_work() noexcept { static thread_local const OfThread here; }

bool AtTheEnd::enlist() {
  give_work();
  List& here = list();
  const std::scoped_lock lock(here.mutex);
  if (here.over) return false;
  if (here.process == 0 && std::atexit([] { end_all(true); }) == 0) here.process = getpid();
  here.all.push_back(this);
  return true;
}

void AtTheEnd::leave() {
  List& here = list();
  const std::scoped_lock lock(here.mutex);
  std::erase(here.all, this);
}

}  // namespace tidepool::inline v0
