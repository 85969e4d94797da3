// Figures of a series that a few wild values do not move. What is not finite is passed over; of nothing, everything is 0.
//
//     const double usual = median(values), spread = deviation(values);
//     const std::optional<Trend> trend = trend_of(seconds, bytes);      // Theil–Sen: trend->slope, trend->at(60)
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tidepool::inline v0::monitor {

double mean(std::span<const double> values);
double median(std::span<const double> values);
double percentile(std::span<const double> values, double p);  // p from 0 to 1; between two values on the line from one to the other
double deviation(std::span<const double> values);             // the median distance from the median, as a standard deviation

// Several percentiles of the same values, sorted once.
class Distribution {
 public:
  explicit Distribution(std::span<const double> values);
  std::size_t size() const { return sorted_.size(); }
  double at(double p) const;

 private:
  std::vector<double> sorted_;
};

// The last so many values, side by side.
class Window {
 public:
  explicit Window(std::size_t most) : most_(most) {}
  void add(double value);
  void clear() { values_.clear(); }
  std::size_t size() const { return values_.size() < most_ ? values_.size() : most_; }
  std::span<const double> values() const { return last(size()); }  // oldest first
  std::span<const double> last(std::size_t count) const { return std::span(values_).last(count); }
  std::span<const double> but_last(std::size_t count) const { return values().first(size() - count); }

 private:
  std::size_t most_;
  std::vector<double> values_;  // up to twice as many, so that moving them to the front is rare
};

// A line through points: the median of the slopes between any two of them, and the interval that holds the true slope in
// about 90 % of all cases. Longer series than 120 points are thinned to medians of neighbours first.
struct Trend {
  double slope = 0, low = 0, high = 0;
  double start = 0;  // the line's value at x = 0
  double at(double x) const { return start + slope * x; }
};
std::optional<Trend> trend_of(std::span<const double> x, std::span<const double> y);  // nothing for fewer than 3 places

}  // namespace tidepool::inline v0::monitor
