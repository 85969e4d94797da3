#include "platform/load/cpu_load.h"

#include <fstream>

namespace tidepool::inline v0 {

void CpuLoad::read(const LoadRoots& roots, LoadClock::time_point now) {
  std::ifstream file(roots.proc + "/stat");
  std::string name;
  std::uint64_t user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft_interrupts = 0, stolen = 0;
  if (!(file >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >> stolen) || name != "cpu") return;
  // What a hypervisor gives to others is not ours to use either. Guests are within user and nice.
  const std::uint64_t busy = user + nice + system + interrupts + soft_interrupts + stolen, all = busy + idle + waiting;
  if (all_ > 0 && all == all_) return;  // too soon: a tick is 10 ms
  if (all_ > 0 && all > all_ && busy >= busy_) average_.add(static_cast<double>(busy - busy_) / static_cast<double>(all - all_), now);
  busy_ = busy;
  all_ = all;
}

Load CpuLoad::load() const {
  const auto value = average_.value();
  return {.value = value, .source = value ? "/proc/stat" : ""};
}

}  // namespace tidepool::inline v0
