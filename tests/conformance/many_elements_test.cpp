// More elements than there is memory to run: what the launches of the null device say.
#include <tidepool/tidepool.h>

#include <cstring>

#include "ops/reduce/reduce.h"
#include "support/devices.h"

namespace tidepool {
namespace {

class ManyElements : public LibraryTest {
 protected:
  void SetUp() override {
    LibraryTest::SetUp();
    reopen_null({.keep_launches = true});
    set_default_device(device("null"));
  }
  static const Launch& launch_of(const std::string& kernel) {
    sync();
    for (const Launch& launch : null_backend().launches)
      if (launch.kernel->name == kernel) return launch;
    throw Error("test", kernel + " was not launched");
  }
  static std::uint32_t workgroups_of(const Launch& launch) {
    const std::uint32_t covered = launch.kernel->covers ? launch.kernel->covers : launch.kernel->group.x;
    return launch.extent.x / covered;
  }
};

TEST_F(ManyElements, OfABatchHaveAWorkgroupForEachMatrix) {
  for (const std::int64_t count : {std::int64_t{1} << 24, (std::int64_t{1} << 24) + 3, std::int64_t{1} << 30}) {
    reopen_null({.keep_launches = true});
    const Tensor a = empty({count, 1, 1});
    matmul(a, a);
    EXPECT_EQ(workgroups_of(launch_of("matmul_tiles")), count);
  }
}

TEST_F(ManyElements, OfAConvolutionHaveAWorkgroupForEachGroupOfChannels) {
  constexpr std::int64_t count = std::int64_t{1} << 24;
  const Tensor x = empty({1, count, 1, 1}).requires_grad(), w = empty({count, 1, 1, 1}).requires_grad();
  sum(conv2d(x, w, {}, {.groups = count})).backward();
  for (const char* const kernel : {"conv2d_tiles", "conv2d_input", "conv2d_weights_tiles"})
    EXPECT_EQ(workgroups_of(launch_of(kernel)), count) << kernel;
}

TEST_F(ManyElements, OfALossAreAddedUpInPartsThatLoopsCanGoOver) {
  const Tensor a = empty({std::int64_t{1} << 31});
  mse_loss(a, a);
  FoldParams p({}, 1, false);
  std::memcpy(&p, launch_of("mse_loss").params.data(), sizeof p);
  EXPECT_LE(p.per_part, 4 * 60'000U);
  EXPECT_GE(std::uint64_t{p.parts} * p.per_part, std::uint64_t{1} << 31);
}

}  // namespace
}  // namespace tidepool
