// What many numbers come down to, in memory that does not grow with them.
#pragma once

#include <cstdint>
#include <vector>

namespace tidepool::cli {

// Of numbers from 0 on. Percentiles are right to one part in a thousand; the rest is exact.
class Distribution {
 public:
  void add(float value);
  std::int64_t count() const { return count_; }
  double mean() const { return sum_ / static_cast<double>(count_); }
  double smallest() const { return static_cast<double>(smallest_); }
  double largest() const { return static_cast<double>(largest_); }
  double percentile(double part) const;  // part from 0 to 1

 private:
  static constexpr int dropped_bits = 13;  // of a float's 23 that follow its exponent: ten stay
  std::vector<std::uint32_t> bins_ = std::vector<std::uint32_t>(std::size_t{1} << (31 - dropped_bits));
  std::int64_t count_ = 0;
  double sum_ = 0;
  float smallest_ = 0, largest_ = 0;
};

}  // namespace tidepool::cli
