// Shaders that were made to end the process, or to keep the compiler busy.
#ifdef TIDEPOOL_VULKAN

#include <gtest/gtest.h>
#include <tidepool/error.h>
#include <tidepool/kernel.h>

#include <chrono>
#include <string>
#include <vector>

#include "backend/vulkan/spirv.h"
#include "support/errors.h"

namespace tidepool::inline v0 {
namespace {

std::string times(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

Kernel of_glsl(const std::string& glsl) {
  return Kernel({.name = "hostile",
                 .glsl = "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer X { float x[]; };\n" + glsl,
                 .bindings = 1,
                 .writes = {0}});
}

TEST(HostileShader, ThatIsNestedDeepDoesNotEndTheProcess) {
  const std::size_t deep = 50'000;  // a third of that was enough for the sum, on a stack of 8 MiB
  of_glsl("void main() { float y = x[0]; x[0] = " + times(deep, "y+") + "y; }");
  of_glsl("#if " + std::string(deep, '(') + "1" + std::string(deep, ')') + "\n#endif\nvoid main() { x[0] = 1.0; }");
}

TEST(HostileShader, ThatIsTooLongIsRefused) {
  EXPECT_HAS(message_of<ArgumentError>([] { of_glsl("void main() { }" + std::string(300'000, ' ')); }), "at most 262144 are compiled");
}

// The validator takes more than 20 s for a tenth of these.
TEST(HostileShader, OfPointersToPointersIsRefusedAtOnce) {
  std::vector<std::uint32_t> words{0x07230203, 0x00010300, 0, 200'000, 0, 3U << 16 | 22, 1, 32};
  for (std::uint32_t id = 2; id < 100'000; ++id) words.insert(words.end(), {4U << 16 | 32, id, 7, id - 1});
  const auto start = std::chrono::steady_clock::now();
  const KernelOptions options{.name = "hostile", .bindings = 1, .writes = {0}, .spirv = words};
  EXPECT_HAS(message_of<ArgumentError>([&] { Kernel kernel(options); }), "hostile: the shader has pointers to pointers");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace tidepool::inline v0

#endif
