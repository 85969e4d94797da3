#include "monitor/statistics.h"

#include <algorithm>
#include <cmath>

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::size_t most_points = 120;  // of a trend: 7,140 pairs
constexpr double sigma_per_deviation = 1.4826;
constexpr double z = 1.645;  // 90 % between -z and z

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> kept;
  kept.reserve(values.size());
  for (const double value : values)
    if (std::isfinite(value)) kept.push_back(value);
  return kept;
}

// The value at a rank that need not be whole.
double at_rank(std::vector<double>& values, double rank) {
  const double place = std::clamp(rank, 0.0, static_cast<double>(values.size() - 1));
  const auto below = static_cast<std::ptrdiff_t>(place);
  const auto at = values.begin() + below;
  std::nth_element(values.begin(), at, values.end());
  const double share = place - static_cast<double>(below);
  if (share == 0) return *at;
  return *at + share * (*std::min_element(at + 1, values.end()) - *at);
}

struct Points {
  std::vector<double> x, y;
};

Points points_of(std::span<const double> x, std::span<const double> y) {
  Points all;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    if (std::isfinite(x[i]) && std::isfinite(y[i])) {
      all.x.push_back(x[i]);
      all.y.push_back(y[i]);
    }
  const std::size_t group = (all.x.size() + most_points - 1) / most_points;
  if (group <= 1) return all;
  Points thinned;
  for (std::size_t i = 0; i < all.x.size(); i += group) {
    const std::size_t count = std::min(group, all.x.size() - i);
    thinned.x.push_back(median(std::span(all.x).subspan(i, count)));
    thinned.y.push_back(median(std::span(all.y).subspan(i, count)));
  }
  return thinned;
}

}  // namespace

double mean(std::span<const double> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values)
    if (std::isfinite(value)) {
      sum += value;
      ++count;
    }
  return count ? sum / static_cast<double>(count) : 0;
}

double percentile(std::span<const double> values, double p) {
  std::vector<double> kept = finite(values);
  return kept.empty() ? 0 : at_rank(kept, p * static_cast<double>(kept.size() - 1));
}

double median(std::span<const double> values) { return percentile(values, 0.5); }

double deviation(std::span<const double> values) {
  std::vector<double> distances = finite(values);
  const double middle = median(values);
  for (double& distance : distances) distance = std::abs(distance - middle);
  return sigma_per_deviation * median(distances);
}

Distribution::Distribution(std::span<const double> values) : sorted_(finite(values)) { std::ranges::sort(sorted_); }

double Distribution::at(double p) const {
  if (sorted_.empty()) return 0;
  const double place = std::clamp(p, 0.0, 1.0) * static_cast<double>(sorted_.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 == sorted_.size()) return sorted_[below];
  return sorted_[below] + (place - static_cast<double>(below)) * (sorted_[below + 1] - sorted_[below]);
}

void Window::add(double value) {
  if (values_.size() == 2 * most_) values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(most_));
  values_.push_back(value);
}

std::optional<Trend> trend_of(std::span<const double> x, std::span<const double> y) {
  const Points points = points_of(x, y);
  const std::size_t count = points.x.size();
  if (count < 3) return std::nullopt;
  std::vector<double> slopes;
  slopes.reserve(count * (count - 1) / 2);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j)
      if (points.x[i] != points.x[j]) slopes.push_back((points.y[j] - points.y[i]) / (points.x[j] - points.x[i]));
  if (slopes.size() < 3) return std::nullopt;
  // Sen: how far out of order chance alone brings the pairs says how many slopes lie on either side of the true one.
  const auto n = static_cast<double>(count);
  const double middle = static_cast<double>(slopes.size() - 1) / 2, reach = z * std::sqrt(n * (n - 1) * (2 * n + 5) / 18) / 2;
  Trend trend;
  trend.slope = at_rank(slopes, middle);
  trend.low = at_rank(slopes, middle - reach);
  trend.high = at_rank(slopes, middle + reach);
  std::vector<double> starts;
  starts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) starts.push_back(points.y[i] - trend.slope * points.x[i]);
  trend.start = at_rank(starts, (n - 1) / 2);
  return trend;
}

}  // namespace tidepool::inline v0::monitor
