// How busy the processor is: all its cores, by /proc/stat between two readings.
#pragma once

#include <cstdint>

#include "platform/load/load_average.h"

namespace tidepool::inline v0 {

class CpuLoad {
 public:
  void read(const LoadRoots& roots, LoadClock::time_point now);
  Load load() const;

 private:
  LoadAverage average_;
  std::uint64_t busy_ = 0, all_ = 0;  // ticks so far; 0 before the first reading
};

}  // namespace tidepool::inline v0
