// The shaders that were compiled at build time, sorted by name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tidepool::inline v0 {

struct Shader {
  std::string_view name;
  std::span<const std::uint32_t> words;
};
std::span<const Shader> shaders();

}  // namespace tidepool::inline v0
