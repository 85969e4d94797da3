// A chain of elementwise kernels as one compute shader: each element is loaded, goes through all of them in registers, and what is needed
// later is stored. The bits are those of the kernels one by one.
//
//     ChainShader chain{.name = "chain of 2 (neg to exp)", …};
//     const std::string glsl = text_of(chain);
//
// The text depends on what the kernels are and how they hang together, not on their numbers or on how many elements there are: those are
// parameters, so that a shader serves again.
#pragma once

#include "backend/launch.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidepool::inline v0 {

// Values are numbered as they come to be: loaded, or made by a stage.
struct ChainStage {
  const ElementText* element;
  std::array<int, max_bindings> inputs;  // values; -1: not read
  int made;
};
struct ChainBinding {
  int loaded = -1, stored = -1;  // values; -1: none
  Access access() const { return stored < 0 ? Access::read : loaded < 0 ? Access::write : Access::read_write; }
};
struct ChainShader {
  std::string name;
  std::vector<ChainStage> stages;
  std::vector<ChainBinding> bindings;
};

// What the shader's parameters are; of the numbers as many as the stages use, in their order.
struct ChainParams {
  static constexpr std::size_t most_numbers = 28;
  Shifts shifts;
  std::uint32_t count;
  std::uint32_t nothing;  // 0, which the compiler does not know
  std::array<float, most_numbers> numbers;
};
static_assert(Params<ChainParams> && sizeof(ChainParams) == max_param_bytes);

bool has_word(std::string_view glsl, std::string_view word);  // as a whole, like "x" or "p.a"
inline bool uses_a(const ElementText& element) { return has_word(element.glsl, "p.a"); }
inline bool uses_b(const ElementText& element) { return has_word(element.glsl, "p.b"); }

// How much there is to compile, in additions or the like. Drivers take longer than in proportion to it.
std::size_t work_to_compile(const ElementText& element);

std::string text_of(const ChainShader& chain);

}  // namespace tidepool::inline v0
