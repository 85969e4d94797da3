#include "device/slowness.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

// Takes nothing from the heap: it is called in steps.
template <std::size_t count>
double median(const double* values) {
  std::array<double, count> sorted;
  std::copy_n(values, count, sorted.begin());
  std::nth_element(sorted.begin(), sorted.begin() + count / 2, sorted.end());
  return sorted[count / 2];
}

}  // namespace

void Slowness::forget() { *this = {}; }

// While it is slow the past stays what it was: otherwise slow would soon be usual.
Slowness::Change Slowness::add(double seconds) {
  if (count_ == times_.size())
    std::copy(times_.begin() + (slow_ ? past : 0) + 1, times_.end(), times_.begin() + (slow_ ? past : 0));
  else
    ++count_;
  times_[count_ - 1] = seconds;
  if (count_ < times_.size()) return Change::none;
  now_ = median<last>(times_.data() + past);
  if (slow_) {
    if (now_ > normal_by * usual_) return Change::none;
    slow_ = false;
    return Change::normal;
  }
  usual_ = median<past>(times_.data());
  slow_ = now_ >= slower_by * usual_;
  return slow_ ? Change::slower : Change::none;
}

}  // namespace tidepool::inline v0
