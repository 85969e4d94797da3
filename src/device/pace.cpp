#include "device/pace.h"

#include <algorithm>

namespace tidepool::inline v0 {

void Pace::set_share(double share) {
  share_ = left_ = share;
  owed_ = Time(0);
}

void Pace::others_take(double load) { left_ = std::clamp(share_ - load, least * share_, share_); }

// A sleep is often longer than it was meant to be; what was too much counts for the next, but not for long.
Pace::Time Pace::worked(Time time) {
  const auto rest = std::chrono::duration_cast<Time>(time * (1 / left_ - 1));
  owed_ = std::max(owed_ + rest, -5 * worth_a_sleep);
  return owed_ >= worth_a_sleep ? owed_ : Time(0);
}

}  // namespace tidepool::inline v0
