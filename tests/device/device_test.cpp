// Which devices there are, how one is chosen, and tensors that meet across devices.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <sstream>
#include <vector>

#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Devices : public LibraryTest {
 protected:
  void SetUp() override {
    LibraryTest::SetUp();
    for (const DeviceInfo& info : devices()) {
      gpu = gpu || info.kind == "discrete" || info.kind == "integrated" || info.kind == "virtual";
      vulkan = vulkan || info.id == "vulkan:0";
      software = software || info.kind == "software";
    }
  }
  bool gpu = false, vulkan = false, software = false;
};
class DevicesTo : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, DevicesTo, testing::Values("null", "vulkan:0"), device_name);

TEST_F(Devices, ListTheCpuFirstAndNoTestDevice) {
  const std::vector<DeviceInfo> all = devices();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].id, "cpu");
  EXPECT_EQ(all[0].kind, "cpu");
  EXPECT_FALSE(all[0].name.empty());
  for (const DeviceInfo& info : all) {
    EXPECT_NE(info.kind, "test");
    EXPECT_GT(info.memory_total, 0U);
    EXPECT_LE(info.memory_free, info.memory_total);
    EXPECT_EQ(device(info.id).id(), info.id) << "what is listed can be asked for";
  }
}

TEST_F(Devices, AnUnknownNameIsAnErrorThatListsWhatThereIs) {
  for (const char* bad : {"gpu", "", "CPU", "vulkan", "vulkan:", "vulkan:x", "vulkan:-1", "vulkan:0x", "vulkan:00", "vulkan:99"}) {
    const std::string message = message_of<DeviceError>([bad] { device(bad); });
    EXPECT_HAS(message, std::string("there is no device called '") + bad + "'");
    for (const DeviceInfo& info : devices()) EXPECT_HAS(message, info.id);
  }
  EXPECT_HAS(message_of<DeviceError>([] { device("gpu"); }), "; select() finds the best GPU");
}

TEST_F(Devices, ANameThatFailedStaysAnError) {
  for (int i = 0; i < 2; ++i) EXPECT_THROW(device("vulkan:99"), DeviceError);
  EXPECT_NO_THROW(sync());
  EXPECT_NO_THROW(cleanup());
}

TEST_F(Devices, WorkIsFinishedBeforeTheDefaultChangesAndTensorsStayWhereTheyAre) {
  set_default_device(device("null"));
  const Tensor there = relu(ones({10}));
  const NullBackend::Counts before = null_backend().counts;
  set_default_device(device("cpu"));
  EXPECT_EQ(null_backend().counts.submits, before.submits + 1);
  EXPECT_EQ(null_backend().counts.waits, before.waits + 1);
  EXPECT_EQ(there.device().id(), "null");
  EXPECT_EQ(ones({10}).device().id(), "cpu");
  set_default_device(device("null"));
  relu(there);
  faults::set("device_lost@wait:1");
  EXPECT_NO_THROW(set_default_device(device("cpu"))) << "leaving a device that is lost is always possible";
  EXPECT_EQ(default_device().id(), "cpu");
}

TEST_F(Devices, ADeviceIsAName) {
  const Device cpu = device("cpu");
  EXPECT_EQ(cpu, device("cpu"));
  EXPECT_FALSE(cpu == device("null"));
  std::ostringstream out;
  out << cpu;
  EXPECT_EQ(out.str(), "cpu");
  EXPECT_EQ(default_device(), cpu);
}

TEST_F(Devices, TheDefaultDeviceIsWhereTensorsAreMade) {
  const Device any;
  set_default_device(device("null"));
  EXPECT_EQ(any.id(), "null") << "an empty Device stands for the default at the time of use";
  EXPECT_EQ(default_device().id(), "null");
  const Tensor there = zeros({4}), here = zeros({4}, {.device = device("cpu")});
  EXPECT_EQ(there.device().id(), "null");
  EXPECT_EQ(here.device().id(), "cpu");
  EXPECT_EQ((here + here).device().id(), "cpu") << "results are where the inputs are";
  EXPECT_EQ(zeros_like(here).device().id(), "cpu");
}

TEST_F(Devices, SelectTakesTheCpuWhenNoGpuIsWanted) {
  const EventLog log;
  EXPECT_EQ(select({.prefer_gpu = false}).id(), "cpu");
  ASSERT_EQ(log.events().size(), 1U);
  EXPECT_EQ(log.events()[0].kind, DeviceEvent::selected);
  EXPECT_HAS(log.events()[0].message, "selected cpu");
}

TEST_F(Devices, SelectFallsBackToTheCpuWithAWarningAndAnEvent) {
  set_default_device(device("null"));
  const EventLog log;
  testing::internal::CaptureStderr();
  const Device chosen = select({.prefer_gpu = true, .min_memory = std::size_t{1} << 60, .allow_software = true});
  const std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_EQ(chosen.id(), "cpu");
  EXPECT_EQ(default_device().id(), "cpu");
  EXPECT_HAS(warning, "tidepool: warning: select: fell back to the CPU: ");
  EXPECT_EQ(log.count(DeviceEvent::fallback), 1);
  EXPECT_EQ(log.count(DeviceEvent::selected), 0);
  EXPECT_HAS(log.events()[0].message, "fell back to the CPU");
  if (vulkan) {
    EXPECT_HAS(log.events()[0].message, "vulkan:0");
    EXPECT_HAS(warning, "free of the 1048576 TiB wanted");
  }
}

TEST_F(Devices, SelectIsAnErrorWhenSomethingIsRequiredThatIsNotThere) {
  set_default_device(device("null"));
  const EventLog log;
  const std::string message = message_of<DeviceError>([] { select({.name = "abacus", .required = true}); });
  EXPECT_HAS(message, "select: no device fits: ");
  EXPECT_HAS(message, "is not called 'abacus'");
  EXPECT_TRUE(log.events().empty());
  EXPECT_EQ(default_device().id(), "null") << "the default stays";
}

TEST_F(Devices, SelectNeverTakesTheTestDevice) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(select({.name = "null"}).id(), "cpu");
  testing::internal::GetCapturedStderr();
  EXPECT_THROW(select({.name = "null", .required = true}), DeviceError);
}

TEST_F(Devices, SelectTakesASoftwareVulkanRasteriserOnlyWhenAllowedOrNamed) {
  if (gpu || !software)
    GTEST_SKIP() << "vulkan:0 is no software rasteriser, or not the only Vulkan device: install Debian's mesa-vulkan-drivers, "
                    "and set VK_DRIVER_FILES to its lvp_icd.*.json";
  testing::internal::CaptureStderr();
  EXPECT_EQ(select({.prefer_gpu = true}).id(), "cpu");
  EXPECT_HAS(testing::internal::GetCapturedStderr(), "is a software rasteriser (set allow_software, or name it)");
  EXPECT_EQ(select({.prefer_gpu = true, .allow_software = true}).id(), "vulkan:0");
  EXPECT_EQ(default_device().id(), "vulkan:0");
  EXPECT_EQ(select({.name = "cpu"}).id(), "cpu");
  EXPECT_EQ(select({.name = "vulkan:0"}).id(), "vulkan:0");
}

TEST_F(Devices, AListenerThatThrowsHarmsNobody) {
  static bool armed = false;  // listeners stay for good
  armed = true;
  on_device_event([](const DeviceEvent&) {
    if (armed) throw std::runtime_error("no");
  });
  testing::internal::CaptureStderr();
  EXPECT_EQ(select({.prefer_gpu = false}).id(), "cpu");
  armed = false;
  EXPECT_HAS(testing::internal::GetCapturedStderr(), "a device event listener threw: no");
}

TEST_F(Devices, AnEmptyListenerIsAnErrorAtOnceAndNotAtTheNextLoss) {
  EXPECT_EQ(message_of<ArgumentError>([] { on_device_event({}); }), "on_device_event: got an empty function; wanted one to call");
  EXPECT_EQ(message_of<ArgumentError>([] { capture({}); }), "capture: got an empty function; wanted one to call");
}

TEST_P(DevicesTo, MixingDevicesIsAnErrorThatSaysHowToMove) {
  const Tensor here = ones({4}, {.device = device("cpu")}), there = ones({4});
  for (const auto& [a, b] : {std::pair(here, there), std::pair(there, here)}) {
    const std::string message = message_of<DeviceError>([&] { add(a, b); });
    EXPECT_HAS(message, "add: tensors are on different devices: ");
    EXPECT_HAS(message, "cpu");
    EXPECT_HAS(message, id());
    EXPECT_HAS(message, "move one with to(device)");
    EXPECT_THROW(copy_(a, b), DeviceError);
  }
  expect_all(there + here.to(default_device()), 2.0F);
}

TEST_P(DevicesTo, ToMovesTheNumbersAndLeavesTheOriginal) {
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 7.0F;
  const Tensor here = from_host(values, {10, 100}, device("cpu"));
  const Tensor there = here.to(default_device());
  EXPECT_EQ(there.device().id(), id());
  EXPECT_EQ(there.shape(), here.shape());
  EXPECT_EQ(there.to_host<float>(), values);
  const Tensor row = there.slice(3, 4).to(device("cpu"));
  EXPECT_EQ(row.to_host<float>(), std::vector<float>(values.begin() + 300, values.begin() + 400));
  EXPECT_EQ(here.to(device("cpu")).node(), here.node()) << "it is there already";
  const std::vector<std::int32_t> numbers{1, -2, 3};
  EXPECT_EQ(from_host(numbers, {3}, device("cpu")).to(default_device()).to_host<std::int32_t>(), numbers);
}

TEST_P(DevicesTo, AGradientIsWhereItsParameterIsThoughTheLossWasMadeElsewhere) {
  const Device there = default_device();
  set_default_device(device("cpu"));
  const nn::Linear net(2, 1);
  nn::Linear same = net;
  const Tensor x = ones({4, 2});
  const Tensor first = sum(same(x)), second = sum(same(x));
  net.to(there);
  first.backward();
  for (const Tensor& parameter : net.parameters()) EXPECT_EQ(parameter.grad().device().id(), id());
  second.backward();  // to a gradient that is there already
  sum(same(x.to(there))).backward();
  for (const Tensor& parameter : net.parameters()) {
    EXPECT_EQ(parameter.grad().device().id(), id());
    expect_all(parameter.grad(), 12.0F);
  }
}

TEST_P(DevicesTo, EachDeviceHasFiguresOfItsOwn) {
  const Tensor there = zeros({1024, 1024});
  EXPECT_EQ(memory().live_bytes, 4_MiB);
  EXPECT_EQ(memory(device("cpu")).live_bytes, 0U);
  EXPECT_EQ(memory(device("cpu")).tensors, 0);
  EXPECT_EQ(memory().tensors, 1);
}

}  // namespace
}  // namespace tidepool::inline v0
