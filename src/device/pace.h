// Keeps our work's share of a device's time below a limit, by resting: `worked` takes what the device did and says how long
// to do nothing. Rests are saved up until they are worth a sleep.
#pragma once

#include <chrono>

namespace tidepool::inline v0 {

class Pace {
 public:
  using Time = std::chrono::nanoseconds;

  void set_share(double share);  // 1: no limit
  // Others have so much of the device's time: ours and theirs together stay within the share, as far as we can see to it.
  void others_take(double load);
  bool limits() const { return share_ < 1; }
  double share() const { return share_; }
  Time worked(Time time);
  void rested(Time time) { owed_ -= time; }

 private:
  static constexpr Time worth_a_sleep = std::chrono::milliseconds(2);
  static constexpr double least = 0.1;  // of the share: we go on, however crowded it is
  double share_ = 1, left_ = 1;         // what was set, and what others leave of it
  Time owed_{0};
};

}  // namespace tidepool::inline v0
