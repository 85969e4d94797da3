// The time of training steps against its own recent past: steps that have become slow, a step that took very long, and
// steps that wait for their batches.
//
//     StepWatch watch;
//     watch.add(sample, found);      // samples in which no step ended say nothing
#pragma once

#include "monitor/alarm.h"
#include "monitor/record.h"
#include "monitor/statistics.h"

#include <vector>

namespace tidepool::inline v0::monitor {

class StepWatch {
 public:
  void add(const Sample& sample, std::vector<Anomaly>& found);
  void restart();

 private:
  void look_at_times(const Sample& sample, std::vector<Anomaly>& found);
  void tell_of_one(const Sample& sample, double low, double high, std::vector<Anomaly>& found);  // step
  void look_at_waiting(const Sample& sample, std::vector<Anomaly>& found);

  static constexpr std::size_t kept = 216;
  Window steps_{kept};   // logarithms of milliseconds: noise of time is a matter of factors
  Window work_{kept};    // likewise, without what was waited for a batch
  Window waits_{kept};   // milliseconds
  Window shares_{kept};  // of the step, that was waited
  Alarm slow_{8}, late_{8};
};

}  // namespace tidepool::inline v0::monitor
