// The shaders that are built in are SPIR-V that every Vulkan 1.2 driver takes.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

#include "backend/vulkan/shaders.h"

namespace tidepool::inline v0 {
namespace {

TEST(VulkanShaders, AreValid) {
  if (std::system("command -v spirv-val >/dev/null") != 0) GTEST_SKIP() << "spirv-val is missing: install spirv-tools";
  const std::filesystem::path path = testing::TempDir() + "tidepool-" + std::to_string(getpid()) + ".spv";
  const std::string command = "spirv-val --target-env vulkan1.2 '" + path.string() + "' >&2";
  ASSERT_FALSE(shaders().empty());
  for (const Shader& shader : shaders()) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(shader.words.data()), static_cast<std::streamsize>(shader.words.size_bytes()));
    EXPECT_EQ(std::system(command.c_str()), 0) << shader.name;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace tidepool::inline v0
