// GLSL to SPIR-V at run time, by libshaderc: as libtidepool_shaderc.so, opened when it is first needed, or else as the program glslc.
//
//     const std::vector<std::uint32_t> words = compile_glsl("saxpy", source);
//
// The library is looked for beside our own code, beside the program, and where libraries are; TIDEPOOL_SHADERC names another file, or is 0
// for none. What was compiled is kept on disk for the next process (compiled_file.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tidepool::inline v0 {

bool has_glsl_compiler();
bool says_its_version(std::string_view glsl);  // by a line "#version 450"
// A compute shader for Vulkan 1.2. `before` stands before the source without counting as lines of it. Throws ArgumentError with the line
// that does not compile, and DeviceError where there is no compiler; both name the kernel. From any thread.
std::vector<std::uint32_t> compile_glsl(std::string_view kernel, std::string_view source, std::string_view before = {});
// The same by the library alone, or from the disk; empty where neither has it. For shaders that one can do without: to start a program for
// each takes longer than they save.
std::vector<std::uint32_t> compile_glsl_if_quick(std::string_view kernel, std::string_view source);
// By SPIRV-Tools, from the same library or as the program spirv-val: throws ArgumentError for words that are no valid SPIR-V. False: there
// is no validator, and nothing was found out.
bool require_valid(std::string_view kernel, std::span<const std::uint32_t> words);

}  // namespace tidepool::inline v0
