// Kernels that plans make of chains of others, compiled from GLSL when a chain is first met. The last ones are remembered by their text, so
// that capturing again finds them ready; what was compiled is on disk too (backend/vulkan/compiled_file.h).
//
//     if (const auto kernel = fused_kernel(chain)) launch.kernel = &kernel->def;     // else the launches go one by one
#pragma once

#include "device/chain_text.h"
#include "device/made_kernel.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

class FusedKernel : public MadeKernel {
 public:
  FusedKernel(const ChainShader& chain, std::vector<std::uint32_t> words);

 private:
  std::vector<std::uint32_t> words_;
};

// Null where there is no library to compile it with, and for what does not compile: the log says so. From any thread.
std::shared_ptr<const FusedKernel> fused_kernel(const ChainShader& chain);

constexpr std::size_t most_fused_kernels = 64;  // that are remembered, but for those that plans hold
std::size_t fused_kernels();                    // that are remembered
void forget_fused_kernels();

}  // namespace tidepool::inline v0
