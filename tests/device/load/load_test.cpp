// How busy devices are. The folders beside this file stand for /sys and /proc, with files in the form that each kernel driver writes.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "platform/load/cpu_load.h"
#include "platform/load/gpu_busy_percent.h"
#include "platform/load/gpu_load.h"
#include "support/errors.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

const std::string fixtures = TIDEPOOL_SOURCE_DIR "/tests/device/load/";
const PciDevice radeon{.address = "0000:03:00.0", .vendor = 0x1002, .device = 0x73bf};
const PciDevice geforce{.address = "0000:01:00.0", .vendor = 0x10de, .device = 0x2684};
const LoadClock::time_point start{1000s};

std::string sys(const std::string& name) { return fixtures + name + "/sys"; }
std::string proc(const std::string& name) { return fixtures + name + "/proc"; }

TEST(LoadOfACard, IsFoundByAddressOrByAnOnlyCardOfItsKind) {
  const auto cards = drm_cards(sys("amdgpu"));
  ASSERT_EQ(cards.size(), 2U) << "neither connectors nor render nodes are cards";
  ASSERT_TRUE(find_card(cards, radeon));
  EXPECT_EQ(find_card(cards, radeon)->pci.device, 0x73bfU);
  EXPECT_EQ(find_card(cards, {.vendor = 0x1002, .device = 0x73bf})->pci.address, "0000:03:00.0");
  EXPECT_FALSE(find_card(cards, {.address = "0000:04:00.0", .vendor = 0x1002, .device = 0x73bf})) << "another slot is another card";
  EXPECT_FALSE(find_card(cards, {})) << "who does not say what it is, is none";
  EXPECT_FALSE(find_card(drm_cards(sys("two_alike")), {.vendor = 0x1002, .device = 0x73bf})) << "which of the two nobody knows";
  EXPECT_TRUE(drm_cards(sys("no such folder")).empty());
  EXPECT_EQ(pci_address(0, 3, 0, 0), radeon.address);
  EXPECT_EQ(pci_address(0x10000, 0xaf, 0x1f, 7), "10000:af:1f.7");
}

TEST(LoadOfACard, IsWhatGpuBusyPercentSays) {
  GpuLoad gpu(radeon);
  gpu.read({.sys = sys("amdgpu"), .proc = proc("none")}, start);
  EXPECT_DOUBLE_EQ(gpu.load().value.value(), 0.37);
  EXPECT_EQ(gpu.load().source, "gpu_busy_percent");
  GpuLoad second({.address = "0000:0a:00.0"});
  second.read({.sys = sys("two_alike"), .proc = proc("none")}, start);
  EXPECT_DOUBLE_EQ(second.load().value.value(), 0.9);
}

TEST(LoadOfACard, IsAbsentWhereTheFileIsThereAndSaysNothing) {
  GpuLoad gpu(radeon);
  gpu.read({.sys = sys("amdgpu_unsupported"), .proc = proc("none")}, start);
  EXPECT_FALSE(gpu.load().value);
  EXPECT_EQ(gpu.load().source, "");
  const TemporaryFolder folder;
  const DrmCard card{.folder = folder.name(), .pci = radeon};
  EXPECT_FALSE(read_gpu_busy_percent(card)) << "no file";
  for (const char* text : {"N/A\n", "-5\n", "65535\n", "101\n", "\n"}) {
    std::ofstream(folder.path("gpu_busy_percent")) << text;
    EXPECT_FALSE(read_gpu_busy_percent(card)) << text;
  }
  fs::remove(folder.path("gpu_busy_percent"));
  fs::create_directory(folder.path("gpu_busy_percent"));  // opens, and gives an error when it is read, as EOPNOTSUPP would
  EXPECT_FALSE(read_gpu_busy_percent(card));
}

class LoadOverTime : public FilesTest {
 protected:
  LoadOverTime() { fs::copy(sys("amdgpu"), path("sys"), fs::copy_options::recursive); }
  void set_busy(int percent) const { std::ofstream(path("sys/class/drm/card1/device/gpu_busy_percent")) << percent << '\n'; }
  void set_client(long long nanoseconds) const {
    fs::create_directories(path("proc/7/fdinfo"));
    std::ofstream(path("proc/7/fdinfo/3")) << "drm-pdev:\t0000:03:00.0\ndrm-client-id:\t1\ndrm-engine-gfx:\t" << nanoseconds << " ns\n";
  }
  LoadRoots roots() const { return {.sys = path("sys"), .proc = path("proc")}; }
};

TEST_F(LoadOverTime, JumpingReadingsBecomeTheirMean) {
  GpuLoad gpu(radeon);
  for (int i = 0; i < 40; ++i) {
    set_busy(i % 2 ? 100 : 0);
    gpu.read(roots(), start + i * 100ms);
  }
  EXPECT_NEAR(gpu.load().value.value(), 0.5, 0.05);
}

TEST_F(LoadOverTime, StuckAtAHundredIsNotBelievedWhenNoClientIsBusy) {
  set_busy(100);
  GpuLoad gpu(radeon);
  for (int i = 0; i < 9; ++i) {
    set_client(5'000'000'000 + i * 1'000'000);  // one hundredth
    gpu.read(roots(), start + i * 100ms);
    EXPECT_EQ(gpu.load().value, 1.0) << "a few full readings may well be true";
  }
  for (int i = 9; i < 15; ++i) {
    set_client(5'000'000'000 + i * 1'000'000);
    gpu.read(roots(), start + i * 100ms);
  }
  EXPECT_NEAR(gpu.load().value.value(), 0.01, 1e-6);
  EXPECT_EQ(gpu.load().source, "fdinfo; gpu_busy_percent is stuck at 100 %");
  set_busy(60);
  gpu.read(roots(), start + 2s);
  EXPECT_DOUBLE_EQ(gpu.load().value.value(), 0.6) << "it moves again";
}

TEST_F(LoadOverTime, AHundredIsBelievedWhileAClientIsBusy) {
  set_busy(100);
  GpuLoad gpu(radeon);
  for (int i = 0; i < 30; ++i) {
    set_client(i * 90'000'000LL);
    gpu.read(roots(), start + i * 100ms);
  }
  EXPECT_EQ(gpu.load().value, 1.0);
  EXPECT_EQ(gpu.load().source, "gpu_busy_percent");
}

TEST_F(LoadOverTime, StuckAtAHundredWithNobodyToAskIsUnknown) {
  set_busy(100);
  GpuLoad gpu(radeon);
  for (int i = 0; i < 12; ++i) gpu.read(roots(), start + i * 100ms);
  EXPECT_FALSE(gpu.load().value);
  EXPECT_EQ(gpu.load().source, "gpu_busy_percent is stuck at 100 %") << "it says why";
}

TEST(LoadByFdinfo, CountsAClientOnceAndTakesTheBusiestEngine) {
  FdinfoLoad load(radeon.address);
  EXPECT_FALSE(load.read(proc("fdinfo_amdgpu/first"), start).value) << "counters alone say nothing";
  const auto reading = load.read(proc("fdinfo_amdgpu/second"), start + 1s);
  // 0.25 s by a client with three files in two processes, 0.5 s by another; video, another card and a new client do not count.
  EXPECT_DOUBLE_EQ(reading.value.value(), 0.75);
  EXPECT_TRUE(reading.complete);
  EXPECT_DOUBLE_EQ(load.read(proc("fdinfo_amdgpu/second"), start + 2s).value.value(), 0.0) << "nobody did anything";
}

TEST(LoadByFdinfo, ReadsEveryFormThatDriversWrite) {
  const auto between = [](const std::string& name) {
    FdinfoLoad load(radeon.address);
    load.read(proc(name + "/first"), start);
    return load.read(proc(name + "/second"), start + 1s).value;
  };
  EXPECT_DOUBLE_EQ(between("fdinfo_no_unit").value(), 0.3) << "without a unit they are nanoseconds";
  EXPECT_DOUBLE_EQ(between("fdinfo_cycles").value(), 0.25) << "cycles of all cycles; four engines of a name share the work";
  EXPECT_DOUBLE_EQ(between("fdinfo_reset").value(), 0.0) << "a counter that shrank is a new client under an old number";
  FdinfoLoad old(radeon.address);
  EXPECT_DOUBLE_EQ(old.read(proc("fdinfo_percent"), start).value.value(), 0.425) << "two clients, one of them twice";
}

TEST(LoadByFdinfo, WhatItCannotReadIsNothing) {
  EXPECT_FALSE(parse_fdinfo(""));
  EXPECT_FALSE(parse_fdinfo("pos:\t0\nflags:\t0100002\n"));
  EXPECT_FALSE(parse_fdinfo(":::\n\n\tdrm-pdev\n"));
  const auto odd =
      parse_fdinfo("drm-pdev: 0000:03:00.0\ndrm-engine-gfx: 5 parsecs\ndrm-engine-: 5 ns\ndrm-engine-dma: x\ndrm-engine-capacity-gfx: 0");
  ASSERT_TRUE(odd);
  EXPECT_FALSE(odd->engines.at("gfx").nanoseconds) << "another unit";
  EXPECT_EQ(odd->engines.at("gfx").capacity, 1U);
  EXPECT_FALSE(odd->engines.at("dma").nanoseconds);
  EXPECT_EQ(odd->engines.size(), 2U);
  FdinfoLoad load(radeon.address);
  load.read(proc("none"), start);
  EXPECT_FALSE(load.read(proc("none"), start + 1s).value) << "absent, not 0";
}

TEST(LoadByFdinfo, ServesAGpuWithoutAFigureOfItsOwn) {
  GpuLoad gpu(radeon);
  gpu.read({.sys = sys("amdgpu_unsupported"), .proc = proc("fdinfo_amdgpu/first")}, start);
  gpu.read({.sys = sys("amdgpu_unsupported"), .proc = proc("fdinfo_amdgpu/second")}, start + 1s);
  EXPECT_DOUBLE_EQ(gpu.load().value.value(), 0.75);
  EXPECT_EQ(gpu.load().source, "fdinfo");
}

TEST(LoadByFdinfo, SaysWhenItDoesNotSeeEverybody) {
  const TemporaryFolder folder;
  fs::copy(proc("fdinfo_no_unit/first"), folder.path("proc"), fs::copy_options::recursive);
  fs::create_directories(folder.path("proc/5/fdinfo"));
  fs::permissions(folder.name(), fs::perms::all);
  fs::permissions(folder.path("proc/5/fdinfo"), fs::perms::none);
  GpuLoad gpu(radeon);
  {
    const AsNobody nobody;
    gpu.read({.sys = sys("none"), .proc = folder.path("proc")}, start);
    gpu.read({.sys = sys("none"), .proc = folder.path("proc")}, start + 1s);
  }
  fs::permissions(folder.path("proc/5/fdinfo"), fs::perms::all);
  EXPECT_EQ(gpu.load().value, 0.0);
  EXPECT_EQ(gpu.load().source, "fdinfo, of the processes that we may see");
}

class LoadByNvml : public testing::Test {
 protected:
  static Load answer(const char* says, const PciDevice& pci = geforce, const std::string& library = TIDEPOOL_NVML_STAND_IN) {
    setenv("TIDEPOOL_TEST_NVML", says, 1);
    GpuLoad gpu(pci);
    gpu.read({.sys = sys("none"), .proc = proc("none"), .nvml = library}, start);
    unsetenv("TIDEPOOL_TEST_NVML");
    return gpu.load();
  }
};

TEST_F(LoadByNvml, IsTheUtilizationOfTheGpuWithThatAddress) {
  EXPECT_DOUBLE_EQ(answer("42").value.value(), 0.42);
  EXPECT_EQ(answer("42").source, "NVML");
  EXPECT_EQ(answer("0").value, 0.0) << "idle is known, not unknown";
}

TEST_F(LoadByNvml, IsAbsentWhereItIsNotSupportedOrNotThere) {
  EXPECT_FALSE(answer("not supported").value);
  EXPECT_FALSE(answer("no driver").value);
  EXPECT_FALSE(answer("4294967295").value);
  EXPECT_FALSE(answer("42", {.address = "0000:02:00.0", .vendor = 0x10de}).value) << "another GPU";
  EXPECT_FALSE(answer("42", radeon).value) << "no GPU of theirs";
  EXPECT_FALSE(answer("42", geforce, "libno-such-library.so").value);
  EXPECT_FALSE(answer("42", geforce, "libm.so.6").value) << "a library without these functions";
  EXPECT_EQ(answer("not supported").source, "");
}

TEST(LoadOfTheCpu, IsWhatProcStatSaysBetweenTwoReadings) {
  CpuLoad cpu;
  cpu.read({.proc = proc("stat/first")}, start);
  EXPECT_FALSE(cpu.load().value);
  EXPECT_EQ(cpu.load().source, "");
  cpu.read({.proc = proc("stat/second")}, start + 1s);
  EXPECT_DOUBLE_EQ(cpu.load().value.value(), 0.35) << "70 of 200 ticks";
  EXPECT_EQ(cpu.load().source, "/proc/stat");
  cpu.read({.proc = proc("stat/second")}, start + 2s);
  EXPECT_DOUBLE_EQ(cpu.load().value.value(), 0.35) << "no tick has passed";
  cpu.read({.proc = proc("stat/first")}, start + 3s);
  EXPECT_DOUBLE_EQ(cpu.load().value.value(), 0.35) << "time does not run backwards";
}

TEST(LoadAverages, FollowInAFewSecondsAndForgetWhatIsOld) {
  LoadAverage average;
  EXPECT_FALSE(average.value());
  average.add(0.0 / 0.0, start);
  average.add(1.5, start);
  average.add(-0.1, start);
  EXPECT_FALSE(average.value()) << "none of these is a load";
  average.add(0.2, start);
  average.add(0.4, start + 1ms);
  EXPECT_DOUBLE_EQ(average.value().value(), 0.3) << "first readings count alike";
  for (int i = 1; i <= 60; ++i) average.add(1.0, start + i * 100ms);
  EXPECT_GT(average.value().value(), 0.95) << "after six seconds";
  average.add(0.0, start + 6100ms);
  EXPECT_GT(average.value().value(), 0.9) << "one reading does not turn it";
  average.add(0.25, start + 60s);
  EXPECT_DOUBLE_EQ(average.value().value(), 0.25) << "a minute ago is over";
}

}  // namespace
}  // namespace tidepool::inline v0
