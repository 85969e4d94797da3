// Whether a device has become slower than it was: times of the same work, compared with those of the recent past. It says so
// once, and again when things are as before; the two limits lie apart, so that it does not go back and forth.
//
//     if (slowness.add(seconds) == Slowness::Change::slower) …
#pragma once

#include <array>
#include <cstddef>

namespace tidepool::inline v0 {

class Slowness {
 public:
  enum class Change { none, slower, normal };
  Change add(double seconds);
  void forget();

  bool slow() const { return slow_; }
  double usual() const { return usual_; }  // the median of the past; 0: not known yet
  double now() const { return now_; }      // that of the last few

 private:
  static constexpr std::size_t past = 32, last = 5;
  static constexpr double slower_by = 2.0, normal_by = 1.4;
  std::array<double, past + last> times_{};  // the past and the last few, oldest first
  std::size_t count_ = 0;
  double usual_ = 0, now_ = 0;
  bool slow_ = false;
};

}  // namespace tidepool::inline v0
