// Tuning files: what they say is done, on the device that they are for, and nothing else changes.
#include "device/tuning.h"

#include <tidepool/tidepool.h>

#include <set>

#include "device/tuning_file.h"
#include "monitor/event.h"
#include "support/devices.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

BackendInfo some_gpu() { return {.name = "Some GPU (of a maker)", .kind = "discrete", .driver = "driver 1.2", .lanes = 32}; }
BackendInfo software() { return {.name = "rasteriser", .kind = "software", .driver = "soft 3", .lanes = 8}; }

class TuningFile : public FilesTest {
 protected:
  TuningFile() {
    set_logger([this](LogLevel level, std::string_view message) {
      if (level == LogLevel::warn) warnings += std::string(message) + '\n';
    });
  }
  ~TuningFile() override {
    set_logger({});
    ::unsetenv("TIDEPOOL_TUNING");
  }
  std::string file() const { return path("a.tuning"); }
  void name_it(const std::string& text) const { ::setenv("TIDEPOOL_TUNING", write("a.tuning", text).c_str(), 1); }
  // What is said when this is read.
  std::string complaint(const std::string& text) const {
    write("a.tuning", text);
    return message_of<IoError>([&] { read_tuning(file(), some_gpu()); });
  }

  std::string warnings;
};

const std::string heading = "tidepool tuning 1\ndevice Some GPU (of a maker)\ndriver driver 1.2\n";

TEST_F(TuningFile, GivesBackWhatWasWritten) {
  Tuning tuning = usual_tuning(software());
  tuning.rules[0][1] = {.lanes = false, .enough = 77, .shortest = 1024};
  tuning.rules[3][0] = {.lanes = true, .enough = 1, .shortest = 16};
  write_tuning(file(), software(), tuning);
  EXPECT_EQ(read_tuning(file(), software()), tuning);
  EXPECT_EQ(names(), std::set<std::string>{"a.tuning"});
}

TEST_F(TuningFile, ChangesOnlyTheRowsThatItHas) {
  write("a.tuning", heading + "# a remark\n\nconv_weights many tiles 64 256\n");
  Tuning wanted = usual_tuning(some_gpu());
  wanted.rules[3][1] = {.lanes = false, .enough = 64, .shortest = 256};
  EXPECT_EQ(read_tuning(file(), some_gpu()), wanted);
}

TEST_F(TuningFile, SaysWhichLineIsDamaged) {
  EXPECT_HAS(complaint(""), "line 1");
  EXPECT_HAS(complaint("tidepool tuning 2\n"), "line 1: got \"tidepool tuning 2\", wanted \"tidepool tuning 1\"");
  EXPECT_HAS(complaint("tidepool tuning 1\nrest\n"), "line 2: got \"rest\", wanted \"device ");
  for (const char* row : {"nonsense", "product", "product few tiles 8", "product few tiles 8 x", "product few tiles 0 512",
                          "product few tiles 8 2000000000", "product few tiles 8 -1", "product few tiles 8 512 1",
                          "product some tiles 8 512", "products few tiles 8 512", "product few stripes 8 512"}) {
    const std::string said = complaint(heading + "product few tiles 8 512\n" + row + "\n");
    EXPECT_HAS(said, "line 5: got \"" + std::string(row) + "\"");
    EXPECT_HAS(said, file());
  }
}

TEST_F(TuningFile, CannotMakeADeviceRunWhatItCannot) {
  EXPECT_HAS(complaint(heading + "product few lanes 8 512\n"), "no subgroups of eight");
}

TEST_F(TuningFile, IsForOneDeviceAndDriver) {
  write_tuning(file(), some_gpu(), usual_tuning(some_gpu()));
  for (const auto& change : {&BackendInfo::name, &BackendInfo::driver}) {
    BackendInfo other = some_gpu();
    other.*change += " II";
    const std::string said = message_of<DeviceError>([&] { read_tuning(file(), other); });
    EXPECT_HAS(said, "was measured on Some GPU (of a maker) with driver 1.2; this is ");
  }
}

TEST_F(TuningFile, ThatIsNamedIsUsedAndToldAmongWhatBitsDependOn) {
  name_it(heading + "product many tiles 64 256\n");
  BackendInfo info = some_gpu();
  EXPECT_EQ(tuning_for(info), read_tuning(file(), some_gpu()));
  EXPECT_EQ(info.same_bits, "tuning file: product many tiles 64 256");
  EXPECT_EQ(warnings, "");
  name_it(heading);
  info = some_gpu();
  tuning_for(info);
  EXPECT_EQ(info.same_bits, "tuning file: as usual");
}

TEST_F(TuningFile, ThatCannotBeUsedIsPassedOverWithAWarning) {
  const auto expect_warning = [&](const std::string& part) {
    BackendInfo info = some_gpu();
    warnings.clear();
    EXPECT_EQ(tuning_for(info), usual_tuning(some_gpu()));
    EXPECT_EQ(info.same_bits, "");
    EXPECT_EQ(warnings.find("TIDEPOOL_TUNING is passed over: "), 0U) << warnings;
    EXPECT_HAS(warnings, part);
  };
  ::setenv("TIDEPOOL_TUNING", path("none").c_str(), 1);
  expect_warning("cannot read " + path("none"));
  name_it(heading + "product many\n");
  expect_warning("line 4");
  name_it("tidepool tuning 1\ndevice another\ndriver driver 1.2\n");
  expect_warning("was measured on another");
}

TEST_F(TuningFile, IsNothingToTheCpu) {
  name_it("damaged");
  BackendInfo info{.name = "a processor", .kind = "cpu", .driver = "", .same_bits = "2 threads"};
  tuning_for(info);
  EXPECT_EQ(info.same_bits, "2 threads");
  EXPECT_EQ(warnings, "");
}

// The names of the kernels that are launched while it lives.
class KernelNames final : public EventSink {
 public:
  KernelNames() { event_sink.store(this); }
  ~KernelNames() { event_sink.store(nullptr); }
  KernelNames(const KernelNames&) = delete;
  KernelNames& operator=(const KernelNames&) = delete;
  void on(const Event& event) noexcept override {
    if (event.kind == Event::launch) names.insert(event.name);
  }
  std::set<std::string> names;
};

class TuningOfVulkan : public TuningFile {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE("vulkan:0"); }
  void TearDown() override {
    ::unsetenv("TIDEPOOL_TUNING");
    if (is_there("vulkan:0")) reset(device("vulkan:0"));
    EXPECT_EQ(validation_messages(), 0U);
  }
  struct Ran {
    std::set<std::string> kernels;
    std::vector<float> product;
    std::string same_bits;
  };
  // A product of 32 x 32 from 2,000 numbers each, as the device computes it now.
  static Ran run() {
    const Device vulkan = device("vulkan:0");
    reset(vulkan);
    std::vector<float> values(std::size_t{32} * 2000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3;
    const Tensor a = from_host(values, {32, 2000}, vulkan), b = from_host(values, {2000, 32}, vulkan);
    KernelNames kernels;
    const std::vector<float> product = matmul(a, b).to_host<float>();
    return {kernels.names, product, vulkan.slot().stream()->info().same_bits};
  }
  void name_rule(const std::string& rule) const {
    const BackendInfo info = device("vulkan:0").slot().stream()->info();
    name_it("tidepool tuning 1\ndevice " + info.name + "\ndriver " + info.driver + "\n" + rule + "\n");
  }
};

TEST_F(TuningOfVulkan, TheNamedShaderRunsInTheNamedParts) {
  const Ran usual = run();
  EXPECT_EQ(usual.same_bits, "");
  name_rule("product few tiles 256 64");
  const Ran tiles = run();
  EXPECT_EQ(tiles.kernels, (std::set<std::string>{"matmul_tiles", "matmul_sum"}));
  EXPECT_EQ(tiles.product, usual.product) << "whole numbers are exact, in whatever order they are added";
  EXPECT_EQ(tiles.same_bits.find("tuning file: "), 0U) << tiles.same_bits;
  name_rule("product few tiles 1 64");
  EXPECT_EQ(run().kernels, std::set<std::string>{"matmul_tiles"}) << "one workgroup is enough, so the sum is not cut";
  name_rule("product many tiles 1 64");
  EXPECT_EQ(run().kernels, usual.kernels) << "that row is for more results";
  ::unsetenv("TIDEPOOL_TUNING");
  const Ran again = run();
  EXPECT_EQ(again.kernels, usual.kernels);
  EXPECT_EQ(again.same_bits, "");
}

}  // namespace
}  // namespace tidepool::inline v0
