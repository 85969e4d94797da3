// Live memory against its own past: a level that was never seen, and growth that does not end.
//
//     MemoryWatch watch;
//     watch.add(sample, found);      // samples in which nothing was done say nothing
#pragma once

#include "monitor/alarm.h"
#include "monitor/growth.h"
#include "monitor/record.h"
#include "monitor/statistics.h"

#include <vector>

namespace tidepool::inline v0::monitor {

class MemoryWatch {
 public:
  void add(const Sample& sample, std::vector<Anomaly>& found);
  void restart();

 private:
  void look_for_jump(const Sample& sample, double plans, std::vector<Anomaly>& found);
  void look_for_leak(const Sample& sample, std::vector<Anomaly>& found);

  // Without plans: whoever captures one wants it, and the first evaluation needs its own.
  Window levels_{208};
  Highs highs_;
  SteadyGrowth live_;
  std::vector<SteadyGrowth> tags_;
  Alarm jumped_{8};
};

}  // namespace tidepool::inline v0::monitor
