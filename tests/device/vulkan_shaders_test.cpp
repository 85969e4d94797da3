// The shaders that are built in are SPIR-V that every Vulkan 1.2 driver takes, and MoltenVK can translate.
#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "backend/vulkan/shaders.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

class VulkanShaders : public FilesTest {
 protected:
  // Runs the command on every shader, which it finds as the file "shader.spv".
  void run_on_all(const std::string& command) const {
    ASSERT_FALSE(shaders().empty());
    for (const Shader& shader : shaders()) {
      std::ofstream(path("shader.spv"), std::ios::binary)
          .write(reinterpret_cast<const char*>(shader.words.data()), static_cast<std::streamsize>(shader.words.size_bytes()));
      EXPECT_EQ(std::system(("cd '" + path("") + "' && " + command + " >&2").c_str()), 0) << shader.name;
    }
  }
  static bool is_missing(const std::string& program) { return std::system(("command -v " + program + " >/dev/null").c_str()) != 0; }
};

TEST_F(VulkanShaders, AreValid) {
  if (is_missing("spirv-val")) GTEST_SKIP() << "spirv-val is missing: install Debian's spirv-tools";
  run_on_all("spirv-val --target-env vulkan1.2 shader.spv");
}

// As MoltenVK does it, for Metal 2.1: macOS 10.14 and later, where subgroups can tell each other values.
TEST_F(VulkanShaders, TranslateToMetal) {
  if (is_missing("spirv-cross")) GTEST_SKIP() << "spirv-cross is missing: install Debian's spirv-cross";
  run_on_all("spirv-cross shader.spv --msl --msl-version 20100 --output shader.metal && grep -q 'kernel void' shader.metal");
}

}  // namespace
}  // namespace tidepool::inline v0
