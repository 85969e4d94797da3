// Whether a series of bytes grows and goes on growing, at three paces: by samples, by eights and by sixty-fours of them.
// What grows from the start and settles, stairs of a few steps, and saw-teeth whose height is known are no such growth.
//
//     SteadyGrowth activations;
//     if (const auto growth = activations.add(bytes, epoch, floor)) …      // told once while it lasts
#pragma once

#include "monitor/alarm.h"
#include "monitor/statistics.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace tidepool::inline v0::monitor {

// The highest values of the last 10,000, but for the newest.
class Highs {
 public:
  void add(double value);
  double before(std::size_t samples) const;  // of what is at least so many samples old; minus infinity: nothing is

 private:
  static constexpr std::size_t group = 64;
  Window groups_{160};
  double highest_ = -std::numeric_limits<double>::infinity();  // of the group that is not full yet
  std::size_t count_ = 0;
};

struct Growth {
  double now = 0, low = 0, high = 0;  // the level, and where it was before
  double rise = 0;                    // in so many samples
  std::size_t samples = 0;
  std::size_t pace = 0;  // 0 to 2
};

class SteadyGrowth {
 public:
  static constexpr int no_epoch = -1;
  // `floor`: what rises by less does not count. `epoch`: saw-teeth may be as long as one.
  std::optional<Growth> add(double value, double floor, std::int64_t epoch);
  double rise(const Growth& over) const;  // of this series, over the same samples
  double usual() const;                   // a little while ago

 private:
  static constexpr std::size_t kept = 160, recent = 40, together = 8;
  struct Pace {
    Window points{kept}, epochs{kept};
    std::array<double, together> waiting{};
    std::size_t count = 0;  // of those that wait to become a point of the next pace
  };
  bool add_point(std::size_t pace, double value, std::int64_t epoch);
  std::optional<Growth> begun(std::size_t pace, double floor) const;
  std::optional<Growth> lasting(std::size_t pace, double floor) const;
  bool goes_on() const;

  std::array<Pace, 3> paces_;
  Highs highs_;
  Alarm alarm_{10};
  Growth told_;
};

}  // namespace tidepool::inline v0::monitor
