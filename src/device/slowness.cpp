#include "device/slowness.h"

#include <algorithm>
#include <span>

namespace tidepool::inline v0 {

namespace {

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

}  // namespace

void Slowness::forget() { *this = {}; }

// While it is slow the past stays what it was: otherwise slow would soon be usual.
Slowness::Change Slowness::add(double seconds) {
  times_.push_back(seconds);
  if (times_.size() < past + last) return Change::none;
  now_ = median(std::span(times_).last(last));
  if (slow_) {
    times_.erase(times_.begin() + past);
    if (now_ > normal_by * usual_) return Change::none;
    slow_ = false;
    return Change::normal;
  }
  usual_ = median(std::span(times_).first(past));
  times_.erase(times_.begin());
  if (now_ < slower_by * usual_) return Change::none;
  slow_ = true;
  times_.insert(times_.begin(), usual_);
  return Change::slower;
}

}  // namespace tidepool::inline v0
