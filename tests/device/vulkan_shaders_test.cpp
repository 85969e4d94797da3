// The shaders that are built in, and those that plans make of chains, are SPIR-V that every Vulkan 1.2 driver takes, and MoltenVK can
// translate.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backend/vulkan/shaderc.h"
#include "backend/vulkan/shaders.h"
#include "device/chain_text.h"
#include "support/environment.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

// A chain of everything that the tables have, with a binding that is read, one that is read and written, and one that is written.
ChainShader long_chain() {
  static constexpr ElementText all[] = {
#define UNARY(op, f, df) {.glsl = #f, .inputs = "x"}, {.glsl = #df, .inputs = "dxy"},
#include "ops/elementwise/unary.def"
#define BINARY(op, f, dfx, dfy) {.glsl = #f, .inputs = "xy"}, {.glsl = #dfx, .inputs = "dxy"}, {.glsl = #dfy, .inputs = "dxy"},
#include "ops/elementwise/binary.def"
  };
  ChainShader chain{.name = "everything", .stages = {}, .bindings = {}};
  int made = 2;
  for (const ElementText& element : all) {
    chain.stages.push_back({.element = &element, .inputs = {made - 1, made - 2, 0}, .made = made});
    ++made;
  }
  chain.bindings = {{.loaded = 0}, {.loaded = 1, .stored = made - 1}, {.stored = made / 2}};
  return chain;
}

class VulkanShaders : public FilesTest {
 protected:
  // Runs the command on every shader, which it finds as the file "shader.spv".
  void run_on_all(const std::string& command) const {
    ASSERT_FALSE(shaders().empty());
    for (const Shader& shader : shaders()) run_on(shader.words, shader.name, command);
    const Environment no_cache("TIDEPOOL_CACHE", "off");
    const std::vector<std::uint32_t> chain = compile_glsl("everything", text_of(long_chain()));
    run_on(chain, "everything", command);
  }
  void run_on(std::span<const std::uint32_t> words, std::string_view name, const std::string& command) const {
    std::ofstream(path("shader.spv"), std::ios::binary)
        .write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(words.size_bytes()));
    EXPECT_EQ(std::system(("cd '" + path("") + "' && " + command + " >&2").c_str()), 0) << name;
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

// Whether every tanh is that of a number within bounds: some drivers divide infinities for large ones. How many there are.
int bounded_tanhs(std::span<const std::uint32_t> words, std::string_view name) {
  constexpr std::uint32_t ext_inst = 12, tanh = 21, f_clamp = 43;  // of SPIR-V and of GLSL.std.450
  std::set<std::uint32_t> clamped;
  int count = 0;
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffffU) != ext_inst) continue;
    if (words[at + 4] == f_clamp) clamped.insert(words[at + 2]);
    if (words[at + 4] != tanh) continue;
    EXPECT_TRUE(clamped.contains(words[at + 5])) << name;
    ++count;
  }
  return count;
}

TEST_F(VulkanShaders, TakeTheHyperbolicTangentOfNoLargeNumbers) {
  int count = 0;
  for (const Shader& shader : shaders()) count += bounded_tanhs(shader.words, shader.name);
  EXPECT_GE(count, 2) << "tanh itself, and in products";
  const Environment no_cache("TIDEPOOL_CACHE", "off");
  EXPECT_GE(bounded_tanhs(compile_glsl("everything", text_of(long_chain())), "everything"), 1);
}

}  // namespace
}  // namespace tidepool::inline v0
