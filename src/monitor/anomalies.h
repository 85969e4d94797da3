// What is out of the ordinary in a run, found in its samples as they come: steps or memory outside their own robust band, memory
// that leaks, a loss that is not finite, a stalled loader, evictions that go round in circles.
//
//     AnomalyWatch watch;
//     for (const Anomaly& a : watch.add(sample)) std::puts(a.message.c_str());     // what is new; each is told once while it lasts
#pragma once

#include "monitor/alarm.h"
#include "monitor/memory_watch.h"
#include "monitor/record.h"
#include "monitor/statistics.h"
#include "monitor/step_watch.h"

#include <optional>
#include <vector>

namespace tidepool::inline v0::monitor {

class AnomalyWatch {
 public:
  std::vector<Anomaly> add(const Sample& sample);
  void restart();

 private:
  bool begins_anew(const Sample& sample) const;  // another device, or another training: nothing from before holds
  void look_at_loss(const Sample& sample, std::vector<Anomaly>& found);
  void look_at_evictions(const Sample& sample, std::vector<Anomaly>& found);

  std::optional<Sample> before_;
  StepWatch steps_;
  MemoryWatch memory_;
  Window losses_{200}, evictions_{20}, allocations_{20};  // of evictions and allocations, what each sample added
  Window share_{20};                                      // of blocks that were taken, those that had to be allocated
  Alarm loss_{1}, thrashing_{20};
};

}  // namespace tidepool::inline v0::monitor
