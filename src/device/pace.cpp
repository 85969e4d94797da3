#include "device/pace.h"

#include <algorithm>
#include <utility>

namespace tidepool::inline v0 {

void Pace::set_share(double share) {
  share_ = left_ = share;
  crowded_ = false;
  owed_ = Time(0);
}

Pace::Change Pace::others_take(double load) {
  left_ = std::clamp(share_ - load, least * share_, share_);
  const bool was = std::exchange(crowded_, left_ < (crowded_ ? enough : little) * share_);
  if (crowded_ == was) return Change::none;
  return crowded_ ? Change::crowded : Change::roomy;
}

// A sleep is often longer than it was meant to be; what was too much counts for the next, but not for long.
Pace::Time Pace::worked(Time time) {
  const auto rest = std::chrono::duration_cast<Time>(time * (1 / left_ - 1));
  owed_ = std::max(owed_ + rest, -5 * worth_a_sleep);
  return owed_ >= worth_a_sleep ? owed_ : Time(0);
}

}  // namespace tidepool::inline v0
