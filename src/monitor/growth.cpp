#include "monitor/growth.h"

#include <algorithm>
#include <cmath>

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::array<std::size_t, 3> samples_of_point{1, 8, 64};
constexpr std::size_t warm_up_points = 80;  // points that have to be known before growth can begin

// The medians of so many equal parts.
template <std::size_t Parts>
std::array<double, Parts> levels_of(std::span<const double> points) {
  std::array<double, Parts> levels;
  const std::size_t size = points.size() / Parts;
  for (std::size_t i = 0; i < Parts; ++i) levels[i] = median(points.subspan(i * size, size));
  return levels;
}

struct Evenness {
  double largest_stair;    // of the rise
  std::size_t most_falls;  // that noise may make
  std::size_t end;         // the last so many levels …
  double least_end;        // … rise by at least this much of what all do
};

// Whether the levels go up all along: no stair makes up more than its share, and the end is not flatter than the rest.
template <std::size_t Parts>
bool even(const std::array<double, Parts>& levels, const Evenness& wanted) {
  const double rise = levels.back() - levels.front();
  std::size_t falls = 0;
  for (std::size_t i = 1; i < Parts; ++i) {
    const double up = levels[i] - levels[i - 1];
    if (up > wanted.largest_stair * rise) return false;
    falls += up > 0 ? 0 : 1;
  }
  const double at_the_end = levels[Parts - 1] - levels[Parts - 1 - wanted.end];
  const double share = static_cast<double>(wanted.end) / (Parts - 1);
  return falls <= wanted.most_falls && at_the_end > wanted.least_end * share * rise;
}

}  // namespace

void Highs::add(double value) {
  highest_ = std::max(highest_, value);
  if (++count_ < group) return;
  groups_.add(highest_);
  highest_ = -std::numeric_limits<double>::infinity();
  count_ = 0;
}

double Highs::before(std::size_t samples) const {
  const std::size_t newer = samples > count_ ? (samples - count_ + group - 1) / group : 0;
  double highest = -std::numeric_limits<double>::infinity();
  if (newer < groups_.size())
    for (const double value : groups_.but_last(newer)) highest = std::max(highest, value);
  return highest;
}

std::optional<Growth> SteadyGrowth::add(double value, double floor, std::int64_t epoch) {
  highs_.add(value);
  add_point(0, value, epoch);
  std::optional<Growth> growth = begun(0, floor);
  std::size_t newest = 0;  // the slowest pace that has a new point
  while (newest + 1 < paces_.size() && paces_[newest].count == together) {
    Pace& faster = paces_[newest++];
    faster.count = 0;
    add_point(newest, median(faster.waiting), epoch);
    if (!growth) growth = begun(newest, floor);
    if (!growth) growth = lasting(newest, floor);
  }
  if (growth) {
    if (!alarm_.raise()) return std::nullopt;
    told_ = *growth;
    return growth;
  }
  if (alarm_.on() && newest >= told_.pace) alarm_.settle(!goes_on());
  return std::nullopt;
}

bool SteadyGrowth::add_point(std::size_t at, double value, std::int64_t epoch) {
  Pace& pace = paces_[at];
  pace.points.add(value);
  pace.epochs.add(static_cast<double>(epoch));
  if (at + 1 == paces_.size()) return false;
  pace.waiting[pace.count++] = value;
  return pace.count == together;
}

// Growth that began after a while without: the last points go up evenly and leave all behind that was known.
std::optional<Growth> SteadyGrowth::begun(std::size_t at, double floor) const {
  const Window& points = paces_[at].points;
  if (points.size() < warm_up_points + recent) return std::nullopt;
  const std::span<const double> last = points.last(recent);
  if (last.back() - last.front() <= 0.5 * floor) return std::nullopt;  // nearly always
  const auto levels = levels_of<8>(last);
  const double rise = levels.back() - levels.front(), least = std::max(floor, 0.01 * levels.front());
  if (rise <= least || !even(levels, {.largest_stair = 0.3, .most_falls = 2, .end = 2, .least_end = 0.5})) return std::nullopt;
  const Distribution past(points.but_last(recent));
  // Growth since the start, and a tooth that is not over yet, have a past that is twice as wide as what is new.
  const double low = past.at(0.02), high = past.at(0.98), edge = high + std::max(0.01 * high, 0.8 * (high - low));
  if (levels.back() <= std::max(edge, highs_.before(recent * samples_of_point[at]))) return std::nullopt;
  return Growth{levels.back(), low, high, rise, recent * samples_of_point[at], at};
}

// Growth that has been there as long as anything is known, over more than an epoch.
std::optional<Growth> SteadyGrowth::lasting(std::size_t at, double floor) const {
  const Pace& pace = paces_[at];
  if (pace.points.size() < kept) return std::nullopt;
  const double first = pace.epochs.values().front(), last = pace.epochs.values().back();
  if (last >= 0 && last - first < 2) return std::nullopt;
  const auto levels = levels_of<16>(pace.points.values());
  const double rise = levels.back() - levels.front();
  if (rise <= std::max(4 * floor, 0.1 * levels.front()) ||
      !even(levels, {.largest_stair = 0.2, .most_falls = 0, .end = 8, .least_end = 0.9}))
    return std::nullopt;
  return Growth{levels.back(), levels.front(), levels.front(), rise, kept * samples_of_point[at], at};
}

bool SteadyGrowth::goes_on() const {
  const Window& points = paces_[told_.pace].points;
  if (points.size() < 10) return false;
  const double up = median(points.last(5)) - median(points.last(10).first(5));
  const double before = told_.rise * 5 * static_cast<double>(samples_of_point[told_.pace]) / static_cast<double>(told_.samples);
  return up > 0.25 * before;
}

double SteadyGrowth::rise(const Growth& over) const {
  const Window& points = paces_[over.pace].points;
  const std::size_t count = std::min(over.samples / samples_of_point[over.pace], points.size());
  if (count < 10) return 0;
  const std::span<const double> last = points.last(count);
  return median(last.last(5)) - median(last.first(5));
}

double SteadyGrowth::usual() const {
  const Window& points = paces_[0].points;
  return median(points.size() > recent ? points.last(recent).first(recent - 8) : points.values());
}

}  // namespace tidepool::inline v0::monitor
