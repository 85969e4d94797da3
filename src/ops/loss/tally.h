// Sums that gather on the device over many steps.
#pragma once

#include <tidepool/tensor.h>

namespace tidepool::inline v0 {

// sums[place] += weight * value, where value has one element.
void tally(const Tensor& sums, std::int64_t place, const Tensor& value, double weight);

}  // namespace tidepool::inline v0
