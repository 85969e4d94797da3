// Compiled shaders on disk: used again, and never trusted.
#ifdef TIDEPOOL_VULKAN

#include "backend/vulkan/pipeline_file.h"

#include <fstream>

#include "support/files.h"

namespace tidepool {
namespace {

class VulkanPipelineFile : public FilesTest {
 protected:
  VulkanPipelineFile() { ::setenv("TIDEPOOL_CACHE", path("cache").c_str(), 1); }
  ~VulkanPipelineFile() override { ::unsetenv("TIDEPOOL_CACHE"); }

  static VkPhysicalDeviceProperties device(std::uint32_t id = 7) {
    VkPhysicalDeviceProperties properties{};
    properties.vendorID = 3;
    properties.deviceID = id;
    properties.driverVersion = 11;
    properties.pipelineCacheUUID[5] = 42;
    return properties;
  }
  static std::vector<std::byte> data(std::size_t bytes) { return std::vector<std::byte>(bytes, std::byte{0x5a}); }
};

TEST_F(VulkanPipelineFile, GivesBackWhatWasWritten) {
  const PipelineFile file(device());
  EXPECT_TRUE(file.read().empty()) << "nothing was written yet";
  file.write(data(1000));
  EXPECT_EQ(PipelineFile(device()).read(), data(1000));
  EXPECT_EQ(file.path(), path("cache") + "/vulkan-3-7.pipelines");
}

TEST_F(VulkanPipelineFile, IsNotForAnotherDeviceOrDriver) {
  PipelineFile(device()).write(data(10));
  auto other = device();
  other.driverVersion = 12;
  EXPECT_TRUE(PipelineFile(other).read().empty());
  other = device();
  other.pipelineCacheUUID[5] = 43;
  EXPECT_TRUE(PipelineFile(other).read().empty());
  EXPECT_TRUE(PipelineFile(device(8)).read().empty());
}

TEST_F(VulkanPipelineFile, IsPassedOverWhenItIsDamagedAnywhereAndWrittenAnew) {
  const PipelineFile file(device());
  file.write(data(40));
  const std::string whole = contents(file.path());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    std::ofstream(file.path(), std::ios::binary) << damaged;
    EXPECT_TRUE(file.read().empty()) << "byte " << i;
    std::ofstream(file.path(), std::ios::binary) << whole.substr(0, i);
    EXPECT_TRUE(file.read().empty()) << "cut at " << i;
  }
  file.write(data(40));
  EXPECT_EQ(file.read(), data(40));
}

TEST_F(VulkanPipelineFile, IsNoErrorWhereItCannotBeWrittenAndNoneWhenItIsOff) {
  std::ofstream(path("a-file")) << "x";
  ::setenv("TIDEPOOL_CACHE", (path("a-file") + "/below").c_str(), 1);
  const PipelineFile nowhere(device());
  nowhere.write(data(10));
  EXPECT_TRUE(nowhere.read().empty());
  ::setenv("TIDEPOOL_CACHE", "off", 1);
  const PipelineFile off(device());
  off.write(data(10));
  EXPECT_TRUE(off.path().empty());
  EXPECT_TRUE(off.read().empty());
}

}  // namespace
}  // namespace tidepool

#endif
