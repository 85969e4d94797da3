// The products by oneDNN, where it is there and they are large enough. False: nothing was done. Its kernels like images in blocks of
// channels, so plans let them lie so.
#pragma once

#include "backend/launch.h"

namespace tidepool::inline v0 {

extern const BlockedImages forward_images, input_images, weights_images;

bool forward_by_onednn(const CpuCall& call, bool bias);  // without the activation
bool input_by_onednn(const CpuCall& call);
bool weights_by_onednn(const CpuCall& call, bool bias);

}  // namespace tidepool::inline v0
