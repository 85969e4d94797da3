// What the doctor asks the system: limits of containers, drivers' files, cards' nodes. Folders stand for /sys, /proc, /dev and the root.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "platform/cgroup.h"
#include "platform/drivers.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

namespace fs = std::filesystem;

class Machines : public testing::Test {
 protected:
  Machines() { fs::permissions(folder_.name(), fs::perms::all); }
  void TearDown() override {
    unsetenv("VK_DRIVER_FILES");
    unsetenv("VK_ICD_FILENAMES");
  }
  std::string path(const std::string& name) const { return folder_.path(name); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  CgroupLimits limits() const { return cgroup_limits(path("sys"), path("proc")); }

 private:
  TemporaryFolder folder_;
};

TEST_F(Machines, WithoutControlGroupsHaveNoLimits) {
  EXPECT_FALSE(limits().cores);
  EXPECT_FALSE(limits().memory);
}

TEST_F(Machines, HaveTheLowestLimitOfTheirControlGroups) {
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/outer/memory.max", "max\n");
  write("sys/fs/cgroup/outer/inner/cpu.max", "400000 100000\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "2147483648\n");
  EXPECT_EQ(limits().cores, 1.5) << "an outer limit holds within";
  EXPECT_EQ(limits().memory, 2147483648U);
  write("sys/fs/cgroup/outer/cpu.max", "max 100000\n");
  EXPECT_EQ(limits().cores, 4.0);
}

TEST_F(Machines, WithControlGroupsOfVersionOneHaveTheirsLimits) {
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(limits().cores, 0.5);
  EXPECT_FALSE(limits().memory) << "the number that stands for none";
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576\n");
  EXPECT_FALSE(limits().cores);
  EXPECT_EQ(limits().memory, 1048576U);
}

TEST_F(Machines, HaveTheirDriversFilesInTheLoadersFolders) {
  EXPECT_TRUE(driver_files(path("root")).found.empty());
  write("root/usr/share/vulkan/icd.d/radeon_icd.json", "{}");
  write("root/etc/vulkan/icd.d/nvidia_icd.json", "{}");
  write("root/etc/vulkan/icd.d/README", "");
  const DriverFiles files = driver_files(path("root"));
  EXPECT_EQ(files.found,
            (std::vector<std::string>{path("root/etc/vulkan/icd.d/nvidia_icd.json"), path("root/usr/share/vulkan/icd.d/radeon_icd.json")}));
  EXPECT_EQ(files.variable, "");
}

TEST_F(Machines, HaveTheDriversThatAVariableNames) {
  write("own/a.json", "{}");
  write("own/b.json", "{}");
  setenv("VK_ICD_FILENAMES", "/unread.json", 1);
  setenv("VK_DRIVER_FILES", (path("own") + ":" + path("none.json")).c_str(), 1);
  const DriverFiles files = driver_files(path("root"));
  EXPECT_EQ(files.variable, "VK_DRIVER_FILES");
  EXPECT_EQ(files.found.size(), 2U);
  EXPECT_EQ(files.missing, std::vector<std::string>{path("none.json")});
}

TEST_F(Machines, SayWhichCardsMayBeUsed) {
  EXPECT_TRUE(render_nodes(path("dev")).empty());
  write("dev/dri/renderD128", "");
  write("dev/dri/renderD129", "");
  write("dev/dri/card0", "");
  fs::permissions(path("dev/dri/renderD128"), fs::perms::none);
  fs::permissions(path("dev/dri/renderD129"), fs::perms::all);
  const AsNobody nobody;
  const std::vector<RenderNode> nodes = render_nodes(path("dev"));
  ASSERT_EQ(nodes.size(), 2U) << "a card's own node is for screens";
  EXPECT_EQ(nodes[0].name, "renderD128");
  EXPECT_FALSE(nodes[0].ours);
  EXPECT_TRUE(nodes[1].ours);
}

}  // namespace
}  // namespace tidepool::inline v0
