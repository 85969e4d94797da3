// What is added to zeros inside a plan is written in their place. A step fills the gradients with zeros and adds to them what its backward
// pass finds; so the first launch that would add to a stretch of zeros goes, what it would have added is written there at once, and where
// that covers all of the zeros, they go too. (-0 + 0 is 0, and -0 stays what it is.)
#pragma once

#include "device/capture.h"

#include <functional>
#include <vector>

namespace tidepool::inline v0 {

// `temporary`: whether a block is one that no tensor holds.
void skip_zeros(std::vector<CapturedLaunch>& launches, const std::function<bool(const Block&)>& temporary);

}  // namespace tidepool::inline v0
