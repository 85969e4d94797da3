// How images lie inside a plan. Convolutions by oneDNN are faster where the channels of a place lie side by side in blocks, and copying
// images into that order and back at every one costs more than that. So images that nobody outside the plan sees, and that only kernels
// touch which can take them so, lie in blocks from the first to the last.
#pragma once

#include "device/capture.h"

#include <cstdint>
#include <functional>
#include <span>

namespace tidepool::inline v0 {

// Writes the choice into the launches' parameters. `temporary`: whether a block is one that no tensor holds.
void choose_layouts(std::span<CapturedLaunch> launches, std::uint32_t block, const std::function<bool(const Block&)>& temporary);

// Whether there is anything to choose: only then is the backend asked for its block, which may mean opening a library.
bool layouts_matter(std::span<const CapturedLaunch> launches);

}  // namespace tidepool::inline v0
