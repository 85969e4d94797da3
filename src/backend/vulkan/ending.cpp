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
  pid_t process = 0;  // that has been told to call end_all
  bool over = false;
};

AtTheEnd::List& AtTheEnd::list() {
  static auto& only = *new List;
  return only;
}

void AtTheEnd::end_all() noexcept {
  List& here = list();
  if (here.process != getpid()) return;  // a fork, which has none of the threads that would do the work
  const std::scoped_lock lock(here.mutex);
  here.over = true;
  for (AtTheEnd* one : here.all) one->end();
}

bool AtTheEnd::enlist() {
  List& here = list();
  const std::scoped_lock lock(here.mutex);
  if (here.over) return false;
  if (here.process == 0 && std::atexit(&AtTheEnd::end_all) == 0) here.process = getpid();
  here.all.push_back(this);
  return true;
}

void AtTheEnd::leave() {
  List& here = list();
  const std::scoped_lock lock(here.mutex);
  std::erase(here.all, this);
}

}  // namespace tidepool::inline v0
