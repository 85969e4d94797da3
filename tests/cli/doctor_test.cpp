// tidepool doctor.
#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/tool.h"
#include "platform/environment.h"
#include "support/errors.h"

namespace tidepool::inline v0 {
namespace {

class DoctorCommand : public ToolTest {
 protected:
  void TearDown() override {
    for (const auto& [name, before] : before_) before ? setenv(name.c_str(), before->c_str(), 1) : unsetenv(name.c_str());
  }
  void set(const std::string& name, const std::string& value) {
    before_.emplace_back(name, environment(name.c_str()));
    setenv(name.c_str(), value.c_str(), 1);
  }
  // The finding of that name, as "level: text".
  static std::string finding(const nlohmann::json& document, const std::string& about) {
    for (const auto& f : document["findings"])
      if (f["about"] == about) return f["level"].get<std::string>() + ": " + f["text"].get<std::string>();
    return "";
  }

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

TEST_F(DoctorCommand, SaysEachFindingInALineOfPlainWords) {
  const Outcome o = run("doctor");
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_EQ(o.err, "");
  std::istringstream lines(o.out);
  std::string line, last;
  int count = 0;
  for (; std::getline(lines, line); last = line)
    count += line.starts_with("ok    ") || line.starts_with("warn  ") || line.starts_with("fail  ");
  EXPECT_GE(count, 9) << o.out;
  EXPECT_EQ(last.find("Usable: 0 failed, "), 0U) << o.out;
  for (const char* about : {"memory: ", "threads: ", "cache: ", "oneDNN: ", "drivers: ", "permissions: ", "loader: ", "cpu: "})
    EXPECT_HAS(o.out, about);
}

TEST_F(DoctorCommand, TriesEveryDeviceAndTimesIt) {
  const Outcome o = run("doctor --json");
  ASSERT_EQ(o.status, 0) << o.out << o.err;
  const auto document = nlohmann::json::parse(o.out);
  EXPECT_EQ(document["usable"], true);
  EXPECT_EQ(document["devices"].size(), nlohmann::json::parse(run("devices --json").out)["devices"].size());
  for (const auto& device : document["devices"]) {
    EXPECT_EQ(device["failure"], "");
    EXPECT_GE(device["operations"].size(), 30U);
    for (const auto& operation : device["operations"]) EXPECT_EQ(operation["agreed"], true) << operation;
    EXPECT_EQ(device["speeds"].size(), 5U);
    for (const auto& speed : device["speeds"]) EXPECT_GT(speed["value"], 0.0) << speed;
  }
}

TEST_F(DoctorCommand, FindsADeviceThatComputesNothing) {
  const auto trial = nlohmann::json::parse(run("doctor --trial null").out);
  std::size_t wrong = 0;
  for (const auto& operation : trial["operations"]) wrong += operation["agreed"] == false;
  EXPECT_GE(wrong, trial["operations"].size() - 2);
  EXPECT_GE(wrong, 25U) << trial;
}

TEST_F(DoctorCommand, ADeviceThatIsLostIsAFailureThatSaysWhatToDo) {
  set("TIDEPOOL_FAULT", "device_lost@launch:9");
  const Outcome o = run("doctor");
  EXPECT_EQ(o.status, 1);
  EXPECT_HAS(o.out, "\nfail  cpu: ");
  EXPECT_HAS(o.out, ": the test failed after ");
  EXPECT_HAS(o.out, "; to do: update the driver");
  EXPECT_HAS(o.out, "\nSomething is wrong: ");
}

#ifdef TIDEPOOL_VULKAN
TEST_F(DoctorCommand, AVulkanDriverThatCrashesDoesNotTakeTheDoctorAlong) {
  std::ofstream(path("icd.json")) << R"({"file_format_version": "1.0.0", "ICD": {"api_version": "1.2.0", "library_path": ")"
                                  << TIDEPOOL_CRASHING_DRIVER << "\"}}";
  set("VK_DRIVER_FILES", path("icd.json"));
  set("VK_ICD_FILENAMES", path("icd.json"));
  const Outcome o = run("doctor --report crash.md");
  EXPECT_EQ(o.status, 1);
  EXPECT_HAS(o.out, "fail  devices: listing the devices crashes with signal 6: a Vulkan driver is broken; to do: update it");
  EXPECT_HAS(o.out, "ok    cpu: ");
  EXPECT_HAS(contents(path("crash.md")), "| fail | devices | listing the devices crashes with signal 6");
  EXPECT_HAS(contents(path("crash.md")), "| matmul | ");
}
#endif

#ifdef TIDEPOOL_VULKAN
TEST_F(DoctorCommand, CountsWhatVulkansValidationLayersSay) {
  const auto checks = nlohmann::json::parse(run("doctor --json").out);
  if (finding(checks, "validation") != "ok: Vulkan's validation layers are installed" || checks["devices"].size() < 2)
    GTEST_SKIP() << "there is no Vulkan device or no validation layer: install mesa-vulkan-drivers and vulkan-validationlayers";
  EXPECT_TRUE(checks["devices"][1]["validation_messages"].is_null()) << "nobody listened";
  set("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT");  // which has something to say of every program
  const Outcome o = run("doctor --report report.md");
  EXPECT_HAS(o.out, "warn  vulkan:0: the validation layers gave ");
  EXPECT_HAS(contents(path("report.md")), "Validation: the layers were on, and gave ");
  EXPECT_EQ(contents(path("report.md")).find("gave 0 messages"), std::string::npos);
}
#endif

TEST_F(DoctorCommand, SettingsThatCannotBeMeantAreWarnings) {
  set("TIDEPOOL_THREADS", "999");
  set("TIDEPOOL_MEMORY_LIMIT", "much");
  set("TIDEPOOL_CACHE", "/proc/nowhere");
  set("TIDEPOOL_ONEDNN", "0");
  set("VK_DRIVER_FILES", "/nowhere/some_icd.json");
  const Outcome o = run("doctor --json");
  EXPECT_EQ(o.status, 0) << "the CPU can be used" << o.out;
  const auto document = nlohmann::json::parse(o.out);
  EXPECT_HAS(finding(document, "threads"), "warn: 999 threads on ");
  EXPECT_EQ(finding(document, "memory"), "warn: TIDEPOOL_MEMORY_LIMIT cannot be read and is ignored");
  EXPECT_HAS(finding(document, "cache"), "warn: compiled shaders cannot be kept");
  EXPECT_HAS(finding(document, "oneDNN"), "ok: turned off");
  EXPECT_EQ(finding(document, "drivers"), "warn: VK_DRIVER_FILES names drivers that are not there: some_icd.json");
}

TEST_F(DoctorCommand, TheReportHoldsTheDevicesAndNothingAboutTheUser) {
  set("TIDEPOOL_CACHE", path("cache-of-somebody"));
  const Outcome o = run("doctor --report report.md");
  ASSERT_EQ(o.status, 0) << o.out << o.err;
  const std::string report = contents(path("report.md"));
  EXPECT_EQ(report.find("# Tidepool device report\n"), 0U);
  const auto devices = nlohmann::json::parse(run("devices --json").out)["devices"];
  for (const auto& device : devices) {
    EXPECT_HAS(report, "\n## " + device["id"].get<std::string>() + ": ");
    if (device["kind"] != "cpu") {
      EXPECT_HAS(report, "\nValidation: ");
      EXPECT_HAS(report, "\n| largest binding | ");
      EXPECT_EQ(report.find(" the test failed"), std::string::npos);
    }
  }
  for (const char* part : {"| matmul | ", "| training steps | ", "| softmax | ", "| matmul 512 | ", "| system | ", " agreed |"})
    EXPECT_HAS(report, part);
  EXPECT_EQ(report.find("not agreed"), std::string::npos);
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const char* const home = getenv("HOME");
  for (const std::string& secret :
       {path(""), std::string("cache-of-somebody"), std::string("/home"), std::string(home && home[1] ? home : "/home"),
        std::string(host.data()).size() > 3 ? std::string(host.data()) : "/home"})
    EXPECT_EQ(report.find(secret), std::string::npos) << secret;
}

TEST_F(DoctorCommand, AReportThatCannotBeWrittenIsOneLineAndStatusOne) {
  set("VK_DRIVER_FILES", "/nowhere/some_icd.json");  // the CPU alone is enough for this
  const Outcome o = run("doctor --report /nowhere/report.md");
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.err.find("tidepool: doctor: /nowhere/report.md"), 0U) << o.err;
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
}

TEST_F(DoctorCommand, ATrialOfADeviceThatIsNotThereSaysSo) {
  const Outcome o = run("doctor --trial abacus");
  EXPECT_EQ(o.status, 1);
  EXPECT_HAS(nlohmann::json::parse(o.out)["failure"].get<std::string>(), "there is no device called 'abacus'");
}

}  // namespace
}  // namespace tidepool::inline v0
