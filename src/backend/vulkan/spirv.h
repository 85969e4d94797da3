// What a compute shader says about itself, read from its SPIR-V before any driver sees it.
//
//     const ShaderFacts facts = read_shader("saxpy", words);
//     facts.group.x; facts.written & 1U << 2;
//
// Words that are no compute shader for every Vulkan 1.2 device, or that want what a Launch does not bring (images, other descriptor sets),
// are an ArgumentError that names the kernel and says what is wrong.
#pragma once

#include "backend/launch.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tidepool::inline v0 {

struct ShaderFacts {
  Extent group;                   // work items of a workgroup
  std::uint32_t param_bytes = 0;  // of the push constants
  std::uint32_t bound = 0;        // a bit for each binding that it has,
  std::uint32_t written = 0;      // and for each that it stores to
  ShaderNeeds needs;
};
ShaderFacts read_shader(std::string_view kernel, std::span<const std::uint32_t> words);

}  // namespace tidepool::inline v0
