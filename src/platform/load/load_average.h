// Readings of a load as one figure. A single reading of a GPU jumps between nothing and all, so the last few seconds count.
//
//     LoadAverage average;
//     average.add(0.4, LoadClock::now());
//     average.value();  // 0.4
#pragma once

#include "platform/load/load.h"

namespace tidepool::inline v0 {

class LoadAverage {
 public:
  // What is not from 0 to 1 is no reading and is passed over.
  void add(double value, LoadClock::time_point now);
  std::optional<double> value() const { return count_ ? std::optional(value_) : std::nullopt; }
  void forget() { count_ = 0; }

 private:
  double value_ = 0;
  int count_ = 0;
  LoadClock::time_point last_;
};

}  // namespace tidepool::inline v0
