// GLSL that is compiled at run time, by the library and by the program.
#ifdef TIDEPOOL_VULKAN

#include <gtest/gtest.h>
#include <tidepool/error.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "backend/vulkan/compiled_file.h"
#include "backend/vulkan/shaderc.h"
#include "support/environment.h"
#include "support/errors.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

const std::string whole = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer X { float x[]; };
void main() {
  x[gl_GlobalInvocationID.x] *= 2.0;
}
)";

class VulkanGlsl : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (GetParam() == std::string("program")) ::setenv("TIDEPOOL_SHADERC", "0", 1);
    if (!has_glsl_compiler()) GTEST_SKIP() << "there is no glslc: install Debian's package of that name";
  }
  void TearDown() override { ::unsetenv("TIDEPOOL_SHADERC"); }
  Environment no_cache{"TIDEPOOL_CACHE", "off"};
};
INSTANTIATE_TEST_SUITE_P(By, VulkanGlsl, testing::Values("library", "program"), [](const auto& info) { return info.param; });

TEST_P(VulkanGlsl, BecomesSpirv) {
  const std::vector<std::uint32_t> words = compile_glsl("twice", whole);
  ASSERT_GT(words.size(), 5U);
  EXPECT_EQ(words[0], 0x07230203U);
  EXPECT_EQ(words[1], 0x00010500U) << "the version that Vulkan 1.2 takes";
  EXPECT_TRUE(require_valid("twice", words));
}

TEST_P(VulkanGlsl, ThatIsWrongSaysWhichLine) {
  std::string wrong = whole;
  wrong.replace(wrong.find("2.0"), 3, "two");
  const std::string message = message_of<ArgumentError>([&] { compile_glsl("twice", wrong); });
  EXPECT_EQ(message,
            "twice: the GLSL does not compile: line 5: 'two' : undeclared identifier; the line is: x[gl_GlobalInvocationID.x] *= two;");
}

TEST_P(VulkanGlsl, DoesNotCountTheLinesThatStandBefore) {
  const std::string before = whole.substr(0, whole.find("void main")), source = "void main() {\n\n  x[0] = y;\n}\n";
  const std::string message = message_of<ArgumentError>([&] { compile_glsl("short", source, before); });
  EXPECT_HAS(message, "line 3: 'y' : undeclared identifier; the line is: x[0] = y;");
  EXPECT_GT(compile_glsl("short", "void main() { x[0] = 1.0; }", before).size(), 5U);
}

TEST_P(VulkanGlsl, WithoutMainIsWrongInNoLineInParticular) {
  const std::string message = message_of<ArgumentError>([&] { compile_glsl("empty", "#version 450\n"); });
  EXPECT_HAS(message, "empty: the GLSL does not compile: ");
  EXPECT_HAS(message, "entry point");
  EXPECT_EQ(message.find("line"), std::string::npos) << message;
}

TEST_P(VulkanGlsl, OfAVersionThatHasNoComputeShadersIsWrongWithoutAWordOnStandardOutput) {
  testing::internal::CaptureStdout();
  for (const char* source :
       {"", "void main() {}", "#version 330\nvoid main() {}", "#version 300 es\nvoid main() {}", "# version\n", "#version x"})
    EXPECT_HAS(message_of<ArgumentError>([&] { compile_glsl("old", source); }), "compute shaders for Vulkan begin with '#version 450'");
  message_of<ArgumentError>([&] { compile_glsl("noise", std::string("#version 450\n\x01\x80\0}{#", 19)); });
  message_of<ArgumentError>([&] { compile_glsl("deep", "#version 450\nvoid main() { int x = " + std::string(20000, '(') + "; }"); });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST_P(VulkanGlsl, CompilesInSeveralThreadsAtOnce) {
  const std::vector<std::uint32_t> alone = compile_glsl("twice", whole);
  std::vector<std::vector<std::uint32_t>> words(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : words) threads.emplace_back([&mine] { mine = compile_glsl("twice", whole); });
  }
  for (const auto& mine : words) EXPECT_EQ(mine, alone);
}

TEST_P(VulkanGlsl, WordsThatAreNoSpirvAreNotValid) {
  std::vector<std::uint32_t> words = compile_glsl("twice", whole);
  words.resize(words.size() - 3);
  EXPECT_HAS(message_of<ArgumentError>([&] { require_valid("cut", words); }), "cut: the SPIR-V is not valid: ");
}

// Debian's static libraries are there wherever it is built with what scripts/bootstrap installs.
TEST(VulkanGlslLibrary, IsBesideTheProgram) {
  const Environment no_cache("TIDEPOOL_CACHE", "off"), no_programs("PATH", "/nowhere");
  EXPECT_TRUE(has_glsl_compiler()) << "libtidepool_shaderc.so is not there";
  EXPECT_GT(compile_glsl("twice", whole).size(), 5U);
}

TEST(VulkanGlslCompiler, ThatIsNotThereIsAnErrorThatSaysWhatToInstall) {
  const Environment no_cache("TIDEPOOL_CACHE", "off"), no_programs("PATH", "/nowhere"), no_library("TIDEPOOL_SHADERC", "0");
  EXPECT_FALSE(has_glsl_compiler());
  EXPECT_HAS(message_of<DeviceError>([&] { compile_glsl("twice", whole); }), "twice: compiling GLSL needs libtidepool_shaderc.so");
  const std::vector<std::uint32_t> nonsense{1, 2, 3};
  EXPECT_FALSE(require_valid("nonsense", nonsense)) << "nothing is known without a validator";
}

class VulkanCompiledFile : public FilesTest {
 protected:
  Environment cache{"TIDEPOOL_CACHE", path("cache")};
};

TEST_F(VulkanCompiledFile, ServesTheNextProcessWithoutACompiler) {
  const std::vector<std::uint32_t> words = compile_glsl("twice", whole);
  const Environment no_programs("PATH", "/nowhere"), no_library("TIDEPOOL_SHADERC", "0");
  EXPECT_EQ(compile_glsl("twice", whole), words);
  message_of<DeviceError>([&] { compile_glsl("twice", whole + "// changed"); });
}

TEST_F(VulkanCompiledFile, ThatIsDamagedIsNotRead) {
  const CompiledFile file("text");
  const std::vector<std::uint32_t> words{1, 2, 3};
  file.write(words);
  EXPECT_EQ(file.read(), words);
  const std::string whole_file = contents(file.path());
  for (std::size_t i = 0; i < whole_file.size(); i += 5) {
    std::string damaged = whole_file;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    std::ofstream(file.path(), std::ios::binary) << damaged;
    EXPECT_TRUE(file.read().empty()) << "byte " << i;
    std::ofstream(file.path(), std::ios::binary) << whole_file.substr(0, i);
    EXPECT_TRUE(file.read().empty()) << "cut after " << i;
  }
}

TEST_F(VulkanCompiledFile, OfThemThereAreNotManyAndTheOldestGo) {
  const std::vector<std::uint32_t> words{7};
  const CompiledFile first("first"), last("last");
  first.write(words);
  std::filesystem::last_write_time(first.path(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  for (std::size_t i = 1; i < CompiledFile::most; ++i) write("cache/glsl/" + std::to_string(i), "");
  EXPECT_EQ(first.read(), words);
  last.write(words);
  const auto files = std::filesystem::directory_iterator(path("cache/glsl"));
  EXPECT_LE(std::distance(begin(files), end(files)), static_cast<std::ptrdiff_t>(CompiledFile::most));
  EXPECT_TRUE(first.read().empty());
  EXPECT_EQ(last.read(), words);
}

}  // namespace
}  // namespace tidepool::inline v0

#endif
