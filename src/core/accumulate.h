// Adding a gradient to a leaf.
#pragma once

#include "core/node.h"

namespace tidepool::inline v0 {

// leaf.grad() += gradient, in place once there is one, so that handles and plans keep seeing it.
void accumulate(const std::shared_ptr<Node>& leaf, Tensor gradient);

}  // namespace tidepool::inline v0
