// The face of libtidepool_shaderc.so (cmake/shaderc.cmake), which shaderc.cpp opens by name.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidepool::inline v0::shaderc_module {

constexpr const char* file = "libtidepool_shaderc.so";

using Take = void (*)(void* to, const void* bytes, std::size_t count);
// True: the words of SPIR-V are taken. False: what the compiler says is.
using Compile = bool (*)(const char* source, std::size_t bytes, Take take, void* to);
constexpr const char* compile_name = "tidepool_shaderc_compile_1";
// False: what is wrong with the words is taken.
using Validate = bool (*)(const std::uint32_t* words, std::size_t count, Take take, void* to);
constexpr const char* validate_name = "tidepool_shaderc_validate_1";

}  // namespace tidepool::inline v0::shaderc_module
