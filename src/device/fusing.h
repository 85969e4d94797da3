// Chains of elementwise launches inside a plan become one launch each, where kernels are shaders: of a kernel that is made for the chain
// (fused_kernel.h). What lives only within a chain never reaches memory. The bits are those of the launches one by one, so that nothing
// depends on whether there is a compiler.
//
// Whether a chain is fused follows from its launches alone: it is if that saves enough bytes of memory traffic to be worth a compilation.
#pragma once

#include "device/capture.h"

#include <memory>
#include <vector>

namespace tidepool::inline v0 {

constexpr std::size_t worth_fusing = std::size_t{1} << 20;  // bytes that are not read and written, at each run

// The plan has to keep what is added to `kept`. With the stream's lock held.
void fuse_launches(Stream& stream, std::vector<CapturedLaunch>& launches, CapturedBlocks& blocks,
                   std::vector<std::shared_ptr<const void>>& kept);

}  // namespace tidepool::inline v0
