// Keeps our work's share of a device's time below a limit, by resting: `worked` takes what the device did and says how long
// to do nothing. Rests are saved up until they are worth a sleep.
#pragma once

#include <chrono>

namespace tidepool::inline v0 {

class Pace {
 public:
  using Time = std::chrono::nanoseconds;

  void set_share(double share);  // 1: no limit
  bool limits() const { return share_ < 1; }
  double share() const { return share_; }
  Time worked(Time time);
  void rested(Time time) { owed_ -= time; }

 private:
  static constexpr Time worth_a_sleep = std::chrono::milliseconds(2);
  double share_ = 1;
  Time owed_{0};
};

}  // namespace tidepool::inline v0
