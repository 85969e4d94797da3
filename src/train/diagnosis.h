// Why a loss is not finite.
#pragma once

#include <tidepool/train.h>

namespace tidepool::inline v0 {

// "the first output that is not finite is of 2 (Linear), [64, 10]", or what else is wrong with this batch.
std::string first_not_finite(nn::Module& net, const Trainer::Loss& loss, const Tensor& x, const Tensor& y);

}  // namespace tidepool::inline v0
