#include "platform/load/load_average.h"

#include <algorithm>
#include <cmath>

namespace tidepool::inline v0 {

namespace {

constexpr double seconds_that_count = 2.0;
constexpr double seconds_until_stale = 10.0;

}  // namespace

void LoadAverage::add(double value, LoadClock::time_point now) {
  if (!(value >= 0.0 && value <= 1.0)) return;
  const double since = std::chrono::duration<double>(now - last_).count();
  if (count_ > 0 && since > seconds_until_stale) count_ = 0;
  last_ = now;
  ++count_;
  // The first readings count alike; otherwise the very first would outweigh what comes soon after it.
  const double weight = std::max(1.0 / count_, count_ == 1 ? 1.0 : 1.0 - std::exp(-since / seconds_that_count));
  value_ = count_ == 1 ? value : value_ + weight * (value - value_);
}

}  // namespace tidepool::inline v0
