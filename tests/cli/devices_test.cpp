// tidepool devices.
#include <nlohmann/json.hpp>

#include "cli/tool.h"

namespace tidepool::inline v0 {
namespace {

class DevicesCommand : public ToolTest {};

TEST_F(DevicesCommand, ListsTheCpuWithItsLoadAndLimits) {
  const Outcome o = run("devices --json");
  ASSERT_EQ(o.status, 0) << o.err;
  const auto document = nlohmann::json::parse(o.out);
  const auto& cpu = document["devices"].at(0);
  EXPECT_EQ(cpu["id"], "cpu");
  EXPECT_TRUE(cpu["load"].is_number()) << cpu;
  EXPECT_GE(cpu["load"], 0.0);
  EXPECT_LE(cpu["load"], 1.0);
  EXPECT_EQ(cpu["load_source"], "/proc/stat");
  EXPECT_TRUE(cpu["max_binding_bytes"].is_null()) << "the CPU binds anything";
  for (const auto& device : document["devices"]) {
    EXPECT_GE(device["offset_alignment"], 1);
    EXPECT_TRUE(device["lanes"].is_number());
    if (device["kind"] != "software") continue;
    EXPECT_TRUE(device["load"].is_null()) << "absent, not 0";
    EXPECT_EQ(device["load_source"], "");
    EXPECT_GE(device["max_binding_bytes"], 1 << 27);
  }
}

TEST_F(DevicesCommand, PrintsATableWithTheDefaultMarked) {
  const Outcome o = run("devices");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("largest tensor"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("\n* cpu "), std::string::npos) << o.out;
  EXPECT_NE(o.out.find(" % (/proc/stat)"), std::string::npos) << o.out;
}

TEST_F(DevicesCommand, WithoutADriverListsTheCpuAlone) {
  setenv("VK_DRIVER_FILES", "/nowhere.json", 1);
  setenv("VK_ICD_FILENAMES", "/nowhere.json", 1);
  const Outcome o = run("devices --json");
  unsetenv("VK_DRIVER_FILES");
  unsetenv("VK_ICD_FILENAMES");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(nlohmann::json::parse(o.out)["devices"].size(), 1U) << o.out;
}

}  // namespace
}  // namespace tidepool::inline v0
