// Programs that return from main while a Vulkan device is at work.
#ifdef TIDEPOOL_VULKAN

#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <unistd.h>

#include <cstdlib>

#include "core/node.h"
#include "support/child.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

const volatile float* result = nullptr;  // where the host can read it

// A driver that is torn down while it compiles or computes crashes, now and then. Without its cache it compiles.
TEST(VulkanEnds, WithItsProcessAfterTheWorkThatIsUnderWay) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  if (!is_child()) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(run_this_test_again("MESA_SHADER_CACHE_DISABLE=true"), 0);
    return;
  }
  set_default_device(device("vulkan:0"));
  const Tensor x = ones({256, 256}), y = exp(log(matmul(x, x) * (1.0F / 256))) + 1.0F;
  commit();
  const Block& block = *y.node()->storage.block();
  if (block.memory->host) result = reinterpret_cast<const float*>(block.memory->host + block.offset + y.node()->offset);
  // Called before what was registered earlier, as a driver's own statics go.
  std::atexit([] {
    if (result && *result != 2.0F) _exit(3);
  });
  std::exit(HasFailure() ? 1 : 0);
}

}  // namespace
}  // namespace tidepool::inline v0

#endif
