// The products by oneDNN, where it is there and they are large enough. False: nothing was done.
#pragma once

#include "backend/launch.h"

namespace tidepool::inline v0 {

bool forward_by_onednn(const CpuCall& call, bool bias);  // without the activation
bool input_by_onednn(const CpuCall& call);
bool weights_by_onednn(const CpuCall& call, bool bias);

}  // namespace tidepool::inline v0
