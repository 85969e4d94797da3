// Keeps our work's share of a device's time below a limit, by resting: `worked` takes what the device did and says how long
// to do nothing. Rests are saved up until they are worth a sleep.
#pragma once

#include <chrono>

namespace tidepool::inline v0 {

class Pace {
 public:
  using Time = std::chrono::nanoseconds;

  void set_share(double share);  // 1: no limit
  // Others have so much of the device's time: ours and theirs together stay within the share, as far as we can see to it. It is
  // crowded from when they leave less than three quarters of the share, until they leave nine tenths of it again.
  enum class Change { none, crowded, roomy };
  Change others_take(double load);
  bool limits() const { return share_ < 1; }
  bool crowded() const { return crowded_; }
  double share() const { return share_; }
  double left() const { return left_; }
  Time worked(Time time);
  void rested(Time time) { owed_ -= time; }

 private:
  static constexpr Time worth_a_sleep = std::chrono::milliseconds(2);
  static constexpr double least = 0.1;  // of the share: we go on, however crowded it is
  static constexpr double little = 0.75, enough = 0.9;
  double share_ = 1, left_ = 1;  // what was set, and what others leave of it
  bool crowded_ = false;
  Time owed_{0};
};

}  // namespace tidepool::inline v0
