// SPIR-V that a program brings as a kernel. None of it runs; what is taken here is what a driver would be given.
#include <tidepool/kernel.h>

#include <cstring>

#include "backend/vulkan/spirv.h"
#include "fuzz/target.h"

namespace tidepool::fuzz {
namespace {

void take(std::string_view bytes) {
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof words[0]);
  taken([&] {
    const ShaderFacts facts = read_shader("kernel", words);
    require(facts.bound < 1U << max_bindings && (facts.written & ~facts.bound) == 0, "bindings that a launch cannot have");
  });
  taken([&] { Kernel({.name = "kernel", .bindings = 3, .writes = {2}, .spirv = words}); });
}

const Target target("spirv", take, 1000);

}  // namespace
}  // namespace tidepool::fuzz
