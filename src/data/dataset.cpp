#include <tidepool/data.h>
#include <tidepool/error.h>

#include "data/samples.h"
#include "platform/cat.h"

#include <cmath>

namespace tidepool::inline v0 {
namespace data {

namespace {
const Samples& samples_of(const std::shared_ptr<const Samples>& samples) {
  static const Samples none;
  return samples ? *samples : none;
}
std::span<const std::byte> bytes_of(const Rows& rows, std::int64_t begin, std::int64_t end) {
  const std::size_t row = rows.row_bytes();
  return {rows.numbers.get() + static_cast<std::size_t>(begin) * row, static_cast<std::size_t>(end - begin) * row};
}
}  // namespace

Dataset::Dataset(std::shared_ptr<const Samples> samples) : samples_(std::move(samples)), end_(samples_->x.count) {}

Shape Dataset::x_shape() const { return samples_of(samples_).x.shape; }
Shape Dataset::y_shape() const { return samples_of(samples_).y.shape; }
DType Dataset::x_dtype() const { return samples_of(samples_).x.dtype; }
DType Dataset::y_dtype() const { return samples_of(samples_).y.dtype; }
std::int64_t Dataset::classes() const { return samples_of(samples_).classes; }
std::span<const std::byte> Dataset::x_bytes() const { return bytes_of(samples_of(samples_).x, begin_, end_); }
std::span<const std::byte> Dataset::y_bytes() const { return bytes_of(samples_of(samples_).y, begin_, end_); }

Dataset Dataset::normalized(double mean, double deviation) const {
  if (!std::isfinite(mean) || !std::isfinite(deviation) || deviation <= 0)
    throw ArgumentError("normalized", cat("mean ", mean, ", deviation ", deviation, "; wanted finite ones, and a deviation above 0"));
  Dataset result = *this;
  result.mean_ = mean;
  result.deviation_ = deviation;
  return result;
}

Dataset Dataset::slice(std::int64_t begin, std::int64_t end) const {
  if (begin < 0 || end < begin || end > size())
    throw ArgumentError("slice", cat("got samples [", begin, ", ", end, ") of a dataset; wanted 0 <= begin <= end <= ", size()));
  Dataset result = *this;
  result.begin_ = begin_ + begin;
  result.end_ = begin_ + end;
  return result;
}

}  // namespace data
}  // namespace tidepool::inline v0
