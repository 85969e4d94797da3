// The same small program trains on every device.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <cmath>

#include "support/devices.h"
#include "support/two_layer.h"

namespace tidepool::inline v0 {
namespace {

class TwoLayerNet : public OnEveryDevice {};
class TwoLayerNetAcross : public LibraryTest {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_DEVICE("vulkan:0");
    LibraryTest::SetUp();
  }
  static float loss_after(int steps, const char* id) {
    set_default_device(device(id));
    TwoLayers net(32);
    for (int i = 1; i <= steps; ++i) net.step({.lr = 0.02, .step = i});
    return net.loss.item();
  }
};
INSTANTIATE_TEST_SUITE_P(On, TwoLayerNet, devices_for_tests(), device_name);

TEST_P(TwoLayerNet, LearnsTheSine) {
  TwoLayers net(32);
  net.step({.lr = 0.02, .step = 1});
  const float first = net.loss.item();
  for (int i = 2; i <= 100; ++i) net.step({.lr = 0.02, .step = i});
  if (computes()) {
    EXPECT_GT(first, 0.1F);
    EXPECT_LT(net.loss.item(), 0.1F * first);
  }
}

TEST_P(TwoLayerNet, TrainsToTheSameBitsTwice) {
  TwoLayers a(32), b(32);
  for (int i = 1; i <= 20; ++i) a.step({.lr = 0.02, .step = i});
  for (int i = 1; i <= 20; ++i) b.step({.lr = 0.02, .step = i});
  if (computes()) {
    EXPECT_EQ(a.state(), b.state());
  }
}

TEST_P(TwoLayerNet, AsksTheDeviceForNoMemoryAfterTheSecondStep) {
  TwoLayers net(32);
  for (int i = 1; i <= 2; ++i) {
    net.step({.lr = 0.02, .step = i});
    commit();
  }
  const MemoryStats settled = memory();
  for (int i = 3; i <= 30; ++i) {
    net.step({.lr = 0.02, .step = i});
    i % 2 ? void(commit()) : sync();
  }
  EXPECT_EQ(memory().allocations, settled.allocations);
  EXPECT_EQ(memory().evictions, settled.evictions);
  EXPECT_EQ(memory().tensors, settled.tensors);
  EXPECT_EQ(memory().live_bytes, settled.live_bytes);
}

TEST_P(TwoLayerNet, LaunchesTheSameWorkOnEveryDevice) {
  const auto launches_of_a_step = [] {
    TwoLayers net(32);
    net.step({.lr = 0.02, .step = 1});
    return capture([&] { net.step({.lr = 0.02, .step = 2}); }).launches();
  };
  const std::int64_t here = launches_of_a_step();
  EXPECT_GT(here, 20);
  set_default_device(device("null"));
  const std::int64_t there = launches_of_a_step();
  EXPECT_EQ(there, here);
  reopen_null({});
  TwoLayers net(32);
  net.step({.lr = 0.02, .step = 1});
  const std::uint64_t before = null_backend().counts.launches;
  net.step({.lr = 0.02, .step = 2});
  EXPECT_EQ(null_backend().counts.launches - before, static_cast<std::uint64_t>(there)) << "an eager step launches what a plan does";
}

TEST_F(TwoLayerNetAcross, CpuAndVulkanEndAtTheSameLoss) {
  const float cpu = loss_after(100, "cpu"), vulkan = loss_after(100, "vulkan:0");
  EXPECT_LT(cpu, 0.1F);
  EXPECT_NEAR(vulkan, cpu, 1e-3F * cpu);
}

}  // namespace
}  // namespace tidepool::inline v0
