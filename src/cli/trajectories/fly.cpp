#include "cli/trajectories/fly.h"

#include <string>
#include <vector>

namespace tidepool::cli {

namespace {

#ifdef TIDEPOOL_VULKAN
constexpr std::uint32_t fixed_words[] = {
#include "shaders/fly_0.inc"
};
constexpr std::uint32_t adaptive_words[] = {
#include "shaders/fly_1.inc"
};
std::vector<std::uint32_t> shader(bool adaptive) {
  return adaptive ? std::vector(std::begin(adaptive_words), std::end(adaptive_words))
                  : std::vector(std::begin(fixed_words), std::end(fixed_words));
}
#else
std::vector<std::uint32_t> shader(bool) { return {}; }
#endif

}  // namespace

Kernel flight_kernel(Method method) {
  const bool adaptive = method == Method::adaptive;
  return Kernel({.name = adaptive ? "fly_adaptive" : "fly_fixed",
                 .cpu = adaptive ? fly_adaptive : fly_fixed,
                 .bindings = 2,
                 .writes = {1},
                 .spirv = shader(adaptive)});
}

}  // namespace tidepool::cli
