// Holds the server to its share of one core, whatever its clients do: time that was taken beyond it is waited for afterwards.
//
//     Budget budget(0.04, 0.1);
//     budget.spend(seconds_of_work, now);
//     sleep(budget.wait());
#pragma once

#include <algorithm>

namespace tidepool::inline v0::monitor::web {

class Budget {
 public:
  Budget(double share, double burst) : share_(share), burst_(burst), left_(burst) {}

  // Seconds of processor time, up to now.
  void spend(double seconds, double now) {
    left_ = std::min(burst_, left_ + (now - seen_) * share_) - seconds;
    seen_ = now;
  }
  double wait() const { return left_ < 0 ? -left_ / share_ : 0; }

 private:
  double share_, burst_;
  double left_;  // of processor time
  double seen_ = 0;
};

}  // namespace tidepool::inline v0::monitor::web
