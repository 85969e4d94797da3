# tidepool_shaderc(target): libtidepool_shaderc.so, which the target opens at run time to compile GLSL and to validate SPIR-V. It is libshaderc
# with all that belongs to it, from the static libraries: Debian 12's shared one lacks half of it and cannot be opened. Where the static ones
# are not there, the programs glslc and spirv-val serve.
include(CheckCXXSourceCompiles)

function(tidepool_shaderc target)
  find_path(TIDEPOOL_SHADERC_DIR shaderc/shaderc.h)
  find_path(TIDEPOOL_SPIRV_TOOLS_DIR spirv-tools/libspirv.h)
  set(libraries)
  foreach(name shaderc_combined glslang MachineIndependent GenericCodeGen OSDependent OGLCompiler SPIRV HLSL SPIRV-Tools-opt SPIRV-Tools)
    find_library(TIDEPOOL_LIBRARY_${name} lib${name}.a)
    mark_as_advanced(TIDEPOOL_LIBRARY_${name})
    if(TIDEPOOL_LIBRARY_${name})  # some have become part of others in newer versions
      list(APPEND libraries ${TIDEPOOL_LIBRARY_${name}})
    endif()
  endforeach()
  set(libraries -Wl,--start-group ${libraries} -Wl,--end-group)
  if(TIDEPOOL_SHADERC_DIR AND TIDEPOOL_SPIRV_TOOLS_DIR)
    set(CMAKE_REQUIRED_INCLUDES ${TIDEPOOL_SHADERC_DIR} ${TIDEPOOL_SPIRV_TOOLS_DIR})
    set(CMAKE_REQUIRED_LIBRARIES ${libraries} Threads::Threads)
    check_cxx_source_compiles("
      #include <shaderc/shaderc.h>
      #include <spirv-tools/libspirv.h>
      int main() {
        shaderc_compile_into_spv(shaderc_compiler_initialize(), \"\", 0, shaderc_compute_shader, \"\", \"main\", nullptr);
        return spvValidateBinary(spvContextCreate(SPV_ENV_VULKAN_1_2), nullptr, 0, nullptr);
      }" TIDEPOOL_SHADERC_LINKS)
  endif()
  if(NOT TIDEPOOL_SHADERC_LINKS)
    message(STATUS "shaderc's static libraries not found: GLSL at run time is compiled by the program glslc")
    return()
  endif()
  add_library(tidepool_shaderc MODULE ${PROJECT_SOURCE_DIR}/src/backend/vulkan/shaderc_module.cpp)
  tidepool_options(tidepool_shaderc)
  target_include_directories(tidepool_shaderc PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(tidepool_shaderc SYSTEM PRIVATE ${TIDEPOOL_SHADERC_DIR} ${TIDEPOOL_SPIRV_TOOLS_DIR})
  target_link_libraries(tidepool_shaderc PRIVATE ${libraries} Threads::Threads)
  target_link_options(tidepool_shaderc PRIVATE LINKER:--exclude-libs=ALL LINKER:--gc-sections LINKER:-soname=libtidepool_shaderc.so -s)
  add_dependencies(${target} tidepool_shaderc)
endfunction()
