// The rule by which devices are chosen, on machines that few people have.
#include "device/select.h"

#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include "device/loads.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

enum : std::size_t { cpu, lavapipe, intel, radeon, virtio };

std::vector<DeviceInfo> machine() {
  return {{.id = "cpu",
           .name = "Some CPU",
           .kind = "cpu",
           .driver = "",
           .memory_total = 32_GiB,
           .memory_free = 20_GiB,
           .load = 0.3,
           .load_source = "/proc/stat"},
          {.id = "vulkan:0",
           .name = "llvmpipe",
           .kind = "software",
           .driver = "",
           .memory_total = 32_GiB,
           .memory_free = 20_GiB,
           .load = {},
           .load_source = ""},
          {.id = "vulkan:1",
           .name = "Intel UHD",
           .kind = "integrated",
           .driver = "",
           .memory_total = 16_GiB,
           .memory_free = 12_GiB,
           .load = 0.05,
           .load_source = "fdinfo"},
          {.id = "vulkan:2",
           .name = "Radeon RX",
           .kind = "discrete",
           .driver = "",
           .memory_total = 8_GiB,
           .memory_free = 6_GiB,
           .load = 0.93,
           .load_source = "gpu_busy_percent"},
          {.id = "vulkan:3",
           .name = "Virtio GPU",
           .kind = "virtual",
           .driver = "",
           .memory_total = 4_GiB,
           .memory_free = 4_GiB,
           .load = {},
           .load_source = ""}};
}

std::optional<std::size_t> chosen(const SelectOptions& options) { return choose(machine(), options).index; }

TEST(Choosing, TakesDiscreteBeforeIntegratedBeforeVirtual) {
  EXPECT_EQ(chosen({}), radeon);
  std::vector<DeviceInfo> all = machine();
  all.erase(all.begin() + radeon);
  EXPECT_EQ(choose(all, {}).index, intel);
  all.erase(all.begin() + intel);
  EXPECT_EQ(all[*choose(all, {}).index].kind, "virtual");
  EXPECT_TRUE(choose(machine(), {}).passed_over.empty()) << "what comes after the first was not looked at";
}

TEST(Choosing, TakesSoftwareOnlyWhenAllowedOrNamedAndAfterTheRest) {
  std::vector<DeviceInfo> all = machine();
  all.resize(2);
  EXPECT_FALSE(choose(all, {}).index);
  EXPECT_EQ(choose(all, {.allow_software = true}).index, lavapipe);
  EXPECT_EQ(choose(all, {.name = "llvm"}).index, lavapipe);
  EXPECT_EQ(chosen({.allow_software = true}), radeon);
}

TEST(Choosing, TakesTheCpuWhenNoGpuIsPreferredOrByName) {
  EXPECT_EQ(chosen({.prefer_gpu = false}), cpu);
  EXPECT_EQ(chosen({.name = "cpu"}), cpu);
  EXPECT_EQ(chosen({.prefer_gpu = false, .name = "Intel"}), intel) << "a name says more than a preference";
}

TEST(Choosing, PassesOverWhatIsBusyAndSaysBySource) {
  const Choice choice = choose(machine(), {.max_load = 0.5});
  EXPECT_EQ(choice.index, intel);
  ASSERT_EQ(choice.passed_over.size(), 1U);
  EXPECT_EQ(choice.passed_over[0].index, radeon);
  EXPECT_EQ(passed_over_text(machine(), choice), "vulkan:2 (Radeon RX) is 93 % busy by gpu_busy_percent, more than the 50 % wanted");
  EXPECT_EQ(chosen({.max_load = 0.01}), virtio) << "a load that nobody knows is no reason against a device";
  EXPECT_EQ(chosen({.max_load = 0.93}), radeon);
}

TEST(Choosing, PassesOverWhatHasTooLittleMemory) {
  EXPECT_EQ(chosen({.min_memory = 6_GiB}), radeon);
  const Choice choice = choose(machine(), {.min_memory = 8_GiB});
  EXPECT_EQ(choice.index, intel);
  EXPECT_HAS(choice.passed_over.at(0).why, "has 6 GiB free of the 8 GiB wanted");
}

TEST(Choosing, WhenNothingFitsEveryDeviceHasItsReasonInOrder) {
  const std::string text = passed_over_text(machine(), choose(machine(), {.min_memory = 16_GiB, .max_load = 0.5}));
  EXPECT_EQ(text,
            "vulkan:2 (Radeon RX) has 6 GiB free of the 16 GiB wanted; vulkan:1 (Intel UHD) has 12 GiB free of the 16 GiB wanted; "
            "vulkan:3 (Virtio GPU) has 4 GiB free of the 16 GiB wanted; vulkan:0 (llvmpipe) is a software rasteriser (set "
            "allow_software, or name it); cpu (Some CPU) is the CPU, and a GPU is wanted (turn prefer_gpu off, or name it)");
}

TEST(Choosing, PassesOverWhatCannotBeUsedAndAsksOnlyOfWhatFits) {
  std::vector<std::string> asked;
  const Choice choice = choose(machine(), {.max_load = 0.95}, [&](const DeviceInfo& info) {
    asked.push_back(info.id);
    return std::string(info.id == "vulkan:2" ? "cannot be used: it is unplugged" : "");
  });
  EXPECT_EQ(choice.index, intel);
  EXPECT_EQ(passed_over_text(machine(), choice), "vulkan:2 (Radeon RX) cannot be used: it is unplugged");
  EXPECT_EQ(asked, (std::vector<std::string>{"vulkan:2", "vulkan:1"}));
}

TEST(Choosing, FromNothingChoosesNothing) { EXPECT_FALSE(choose({}, {}).index); }

class Selecting : public LibraryTest {};

TEST_F(Selecting, RefusesALoadThatIsNoShare) {
  for (const double wrong : {80.0, -0.1, 0.0 / 0.0})
    EXPECT_HAS(message_of<ArgumentError>([&] { select({.max_load = wrong}); }),
               "wanted 0 to 1: 0.8 for devices that are at most 80 % busy");
}

TEST_F(Selecting, SaysTheReasonInTheEvent) {
  const EventLog log;
  select({.prefer_gpu = false, .min_memory = 1_MiB});
  ASSERT_EQ(log.events().size(), 1U);
  EXPECT_HAS(log.events()[0].message, "selected cpu (" + devices()[0].name + ", cpu, ");
  EXPECT_HAS(log.events()[0].message, " free, ");
}

class SelectingVulkan : public Selecting {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_DEVICE("vulkan:0");
    Selecting::SetUp();
  }
  void TearDown() override {
    if (!IsSkipped()) Selecting::TearDown();
  }
};

TEST_F(SelectingVulkan, FallsBackWhenTheDriverCannotOpenItsDevice) {
  cleanup();  // an open device would not be opened again
  faults::set("VK_ERROR_INITIALIZATION_FAILED@vkCreateDevice:every:1");
  const EventLog log;
  EXPECT_EQ(select({.name = "vulkan:0"}).id(), "cpu");
  ASSERT_EQ(log.count(DeviceEvent::fallback), 1);
  EXPECT_HAS(log.events().back().message, "cannot be used: ");
  EXPECT_HAS(log.events().back().message, "VK_ERROR_INITIALIZATION_FAILED");
  EXPECT_HAS(message_of<DeviceError>([] { select({.name = "vulkan:0", .required = true}); }), "vkCreateDevice");
  EXPECT_EQ(default_device().id(), "cpu");
  faults::set("");
  EXPECT_EQ(select({.name = "vulkan:0"}).id(), "vulkan:0");
}

TEST_F(SelectingVulkan, PassesOverALostDeviceUntilItIsReset) {
  set_default_device(device("vulkan:0"));
  faults::set("device_lost@submit:1");
  EXPECT_THROW(ones({4}).to_host<float>(), DeviceLost);
  EXPECT_EQ(select({.name = "vulkan:0"}).id(), "cpu");
  EXPECT_NO_THROW(ones({4}).to_host<float>());
  reset(device("vulkan:0"));
  EXPECT_EQ(select({.name = "vulkan:0"}).id(), "vulkan:0");
}

TEST_F(Selecting, KnowsTheCpusLoadAfterAMoment) {
  settle_loads();
  const DeviceInfo info = devices().at(0);
  ASSERT_TRUE(info.load);
  EXPECT_GE(*info.load, 0.0);
  EXPECT_LE(*info.load, 1.0);
  EXPECT_EQ(info.load_source, "/proc/stat");
  for (const DeviceInfo& other : devices())
    if (other.kind == "software") {
      EXPECT_FALSE(other.load) << "software has no load of its own";
      EXPECT_EQ(other.load_source, "");
    }
}

}  // namespace
}  // namespace tidepool::inline v0
