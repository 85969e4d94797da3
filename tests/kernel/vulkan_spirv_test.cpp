// SPIR-V from anywhere: what is read from it, and that no words do harm.
#ifdef TIDEPOOL_VULKAN

#include "backend/vulkan/spirv.h"

#include <gtest/gtest.h>

#include <random>

#include "backend/vulkan/shaderc.h"
#include "kernel/saxpy.h"

namespace tidepool::inline v0 {
namespace {

ShaderFacts facts_of(const std::string& body) { return read_shader("test", compile_glsl("test", "#version 450\n" + body)); }

TEST(VulkanSpirv, SaysItsGroupBindingsWritesAndParameters) {
  const ShaderFacts facts = read_shader("saxpy", compile_glsl("saxpy", whole_saxpy_glsl()));
  EXPECT_EQ(facts.group, (Extent{128, 1, 1}));
  EXPECT_EQ(facts.bound, 0b111U);
  EXPECT_EQ(facts.written, 0b100U);
  EXPECT_EQ(facts.param_bytes, 8U);
  EXPECT_EQ(facts.needs.shared_bytes, 0U);
  EXPECT_EQ(facts.needs.subgroup, 0U);
}

TEST(VulkanSpirv, SaysTheSizeOfEveryKindOfParameter) {
  const auto bytes = [](const std::string& members, const std::string& use) {
    return facts_of("layout(local_size_x = 1) in;\nlayout(push_constant) uniform P { " + members +
                    " } p;\nlayout(binding = 0) buffer X { float x[]; };\nvoid main() { x[0] = float(" + use + "); }")
        .param_bytes;
  };
  EXPECT_EQ(bytes("float a;", "p.a"), 4U);
  EXPECT_EQ(bytes("vec3 a; float b;", "p.b"), 16U);
  EXPECT_EQ(bytes("float a; vec4 b;", "p.b.x"), 32U);
  EXPECT_EQ(bytes("float a[5];", "p.a[4]"), 20U);
  EXPECT_EQ(bytes("mat4 a;", "p.a[0][0]"), 64U);
  EXPECT_EQ(bytes("layout(row_major) mat2x4 a;", "p.a[0][0]"), 32U) << "four rows of two, each 8 bytes";
  EXPECT_EQ(bytes("mat3 a[2]; uint b;", "p.b"), 100U);
}

TEST(VulkanSpirv, SaysWhatItNeedsOfADevice) {
  const ShaderFacts facts = facts_of(R"(#extension GL_KHR_shader_subgroup_arithmetic : require
    layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
    layout(binding = 0) buffer X { float x[]; };
    shared float all[100];
    void main() { all[gl_LocalInvocationIndex] = x[0]; barrier(); x[1] = subgroupAdd(all[gl_LocalInvocationIndex + 1]); })");
  EXPECT_EQ(facts.group, (Extent{8, 4, 2}));
  EXPECT_EQ(facts.needs.shared_bytes, 400U);
  EXPECT_EQ(facts.needs.subgroup, 4U) << "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT";
}

TEST(VulkanSpirv, ThatIsNoneIsAnArgumentError) {
  const auto message = [](std::vector<std::uint32_t> words) { return message_of<ArgumentError>([&] { read_shader("no", words); }); };
  const std::vector<std::uint32_t> good = compile_glsl("saxpy", whole_saxpy_glsl());
  const auto changed = [&](std::size_t at, std::uint32_t word) {
    std::vector<std::uint32_t> words = good;
    words[at] = word;
    return words;
  };
  EXPECT_EQ(message({}), "no: the shader has 0 words of SPIR-V; a header alone has 5");
  EXPECT_EQ(message({1, 2, 3}), "no: the shader has 3 words of SPIR-V; a header alone has 5");
  EXPECT_HAS(message(changed(0, 5)), "is no SPIR-V: its first word is 5, wanted 119734787");
  EXPECT_HAS(message(changed(0, 0x03022307)), "of the other byte order");
  EXPECT_HAS(message(changed(1, 0x00010600)), "is of SPIR-V 1.6; Vulkan 1.2 takes 1.0 to 1.5");
  EXPECT_HAS(message(changed(5, 0)), "ends within an instruction, at word 5");
  EXPECT_HAS(message({good.begin(), good.begin() + 5}), "has 0 entry points; wanted one");
  EXPECT_HAS(message({good.begin(), good.end() - 3}), "ends within an instruction");
  KernelOptions options = saxpy_options();
  options.glsl = "";
  options.spirv = {good.begin(), good.end() - 1};  // a function that does not end
  EXPECT_HAS(message_of<ArgumentError>([&] { Kernel kernel(options); }), "saxpy: the SPIR-V is not valid: Missing OpFunctionEnd");
}

// Words that were changed by chance: they are refused, or make a kernel. What the reader alone lets through may be nonsense all the same,
// so it is the validator that stands before the driver.
TEST(VulkanSpirv, ThatIsHostileIsRefusedAndDoesNoHarm) {
  const std::vector<std::uint32_t> good = compile_glsl("saxpy", whole_saxpy_glsl());
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int refused = 0, made = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::uint32_t> words = good;
    switch (i % 4) {
      case 0:
        words[below(words.size())] ^= 1U << below(32);
        break;
      case 1:
        words[below(words.size())] = static_cast<std::uint32_t>(random());
        break;
      case 2:
        words.resize(below(words.size()));
        break;
      default:
        for (int k = 0; k < 5; ++k) words[below(words.size())] = words[below(words.size())];
    }
    if (words.empty()) continue;
    KernelOptions options = saxpy_options();
    options.glsl = "";
    options.spirv = words;
    try {
      Kernel kernel(options);
      ++made;
    } catch (const ArgumentError&) {
      ++refused;
    }
    try {
      read_shader("alone", words);  // without the validator before it
    } catch (const ArgumentError&) {
    }
  }
  EXPECT_GT(refused, 2000);
  EXPECT_GT(made, 0) << "some changes do no harm";
}

TEST(VulkanSpirv, OfPureNoiseIsRefused) {
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::uint32_t> words{0x07230203, 0x00010500, 0, 100, 0};
    for (std::size_t k = 0; k < random() % 60; ++k) {
      const std::uint32_t count = 1 + static_cast<std::uint32_t>(random() % 6);
      words.push_back(count << 16 | static_cast<std::uint32_t>(random() % 90));
      for (std::uint32_t w = 1; w < count; ++w) words.push_back(static_cast<std::uint32_t>(random() % 40));
    }
    EXPECT_THROW(read_shader("noise", words), ArgumentError);
  }
}

}  // namespace
}  // namespace tidepool::inline v0

#endif
