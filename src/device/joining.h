// Chains of elementwise launches inside a plan are joined: done together, a piece of the elements after the other, so that what one writes
// the next finds in the nearest cache. What lives only within such a chain never reaches memory at all. The bits are those of the launches
// one by one.
#pragma once

#include "device/capture.h"

#include <vector>

namespace tidepool::inline v0 {

void join_launches(std::vector<CapturedLaunch>& launches, CapturedBlocks& blocks);

}  // namespace tidepool::inline v0
