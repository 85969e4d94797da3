// The file gpu_busy_percent that the amdgpu driver keeps in a card's folder: what its firmware says of the last moment.
#pragma once

#include <optional>

#include "platform/load/drm_card.h"

namespace tidepool::inline v0 {

// 0 to 1. Absent where there is no such file, where it is there but cannot be read (on chips without the sensor reading gives
// EOPNOTSUPP), and where it holds something else.
std::optional<double> read_gpu_busy_percent(const DrmCard& card);

}  // namespace tidepool::inline v0
