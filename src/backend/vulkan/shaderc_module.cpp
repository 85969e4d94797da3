// Built as a library of its own, with libshaderc and SPIRV-Tools inside; nothing of theirs shows.
#include "backend/vulkan/shaderc_module.h"

#include <shaderc/shaderc.h>
#include <spirv-tools/libspirv.h>

#include <cstring>
#include <memory>

#define TIDEPOOL_EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using tidepool::shaderc_module::Take;

template <class T, class Release>
auto released_by(T* object, Release release) {
  return std::unique_ptr<T, Release>(object, release);
}

bool complain(const char* text, Take take, void* to) {
  take(to, text, std::strlen(text));
  return false;
}

}  // namespace

TIDEPOOL_EXPORTED bool tidepool_shaderc_compile_1(const char* source, std::size_t bytes, Take take, void* to) {
  static shaderc_compiler_t const compiler = shaderc_compiler_initialize();  // once: to start one takes longer than to compile
  const auto options = released_by(shaderc_compile_options_initialize(), shaderc_compile_options_release);
  if (!compiler || !options) return complain("error: the compiler could not be started", take, to);
  shaderc_compile_options_set_optimization_level(options.get(), shaderc_optimization_level_performance);
  shaderc_compile_options_set_target_env(options.get(), shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_2);
  const auto result =
      released_by(shaderc_compile_into_spv(compiler, source, bytes, shaderc_glsl_compute_shader, "<stdin>", "main", options.get()),
                  shaderc_result_release);
  if (!result) return complain("error: the compiler gave nothing", take, to);
  if (shaderc_result_get_compilation_status(result.get()) != shaderc_compilation_status_success)
    return complain(shaderc_result_get_error_message(result.get()), take, to);
  take(to, shaderc_result_get_bytes(result.get()), shaderc_result_get_length(result.get()));
  return true;
}

TIDEPOOL_EXPORTED bool tidepool_shaderc_validate_1(const std::uint32_t* words, std::size_t count, Take take, void* to) {
  const auto context = released_by(spvContextCreate(SPV_ENV_VULKAN_1_2), spvContextDestroy);
  spv_diagnostic diagnostic = nullptr;
  const bool valid = spvValidateBinary(context.get(), words, count, &diagnostic) == SPV_SUCCESS;
  const auto said = released_by(diagnostic, spvDiagnosticDestroy);
  return valid || complain(said && said->error ? said->error : "it does not say why", take, to);
}
