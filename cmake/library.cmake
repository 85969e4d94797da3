# The library: everything under src/ but the command line and the live page. It is compiled once, as `tidepool_objects` and
# `tidepool_calling_objects`; from those objects come `tidepool`, which users link, and, when that one is shared, a static `tidepool_internal`
# for tests and tools, which use private headers.
include(cmake/shaders.cmake)
include(cmake/volk.cmake)
include(cmake/shaderc.cmake)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
list(FILTER sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/src/((cli|monitor/web)/|backend/vulkan/shaderc_module)")
if(NOT TIDEPOOL_VULKAN)
  list(FILTER sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/src/backend/vulkan/")
endif()

find_path(TIDEPOOL_HIGHWAY_DIR hwy/highway.h REQUIRED)
find_package(Threads REQUIRED)
set(dependencies Threads::Threads ${CMAKE_DL_LIBS})
if(TIDEPOOL_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  list(APPEND dependencies OpenMP::OpenMP_CXX)
endif()

# oneDNN is opened at run time and never linked; its headers say what is called. The names are those of version 2.
set(onednn OFF)
if(TIDEPOOL_ONEDNN AND TIDEPOOL_OPENMP)
  find_path(TIDEPOOL_ONEDNN_DIR oneapi/dnnl/dnnl_version.h)
  if(TIDEPOOL_ONEDNN_DIR)
    file(STRINGS ${TIDEPOOL_ONEDNN_DIR}/oneapi/dnnl/dnnl_version.h onednn REGEX "define DNNL_VERSION_MAJOR 2$")
  endif()
  if(NOT onednn)
    message(STATUS "oneDNN 2 headers not found: the CPU has our own kernels only")
  endif()
endif()

# zlib is opened at run time as well, when a file turns out to be packed.
find_path(TIDEPOOL_ZLIB_DIR zlib.h)
if(TIDEPOOL_ZLIB_DIR)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/io/gzip.cpp PROPERTIES COMPILE_DEFINITIONS TIDEPOOL_ZLIB)
else()
  message(STATUS "zlib.h not found: .gz files are not read")
endif()
find_path(TIDEPOOL_JSON_DIR nlohmann/json.hpp REQUIRED)

# What it takes to include private headers.
add_library(tidepool_private INTERFACE)
target_compile_features(tidepool_private INTERFACE cxx_std_20)
target_include_directories(tidepool_private INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR})
target_include_directories(tidepool_private SYSTEM INTERFACE ${TIDEPOOL_HIGHWAY_DIR} ${TIDEPOOL_JSON_DIR})
target_compile_definitions(tidepool_private INTERFACE $<$<BOOL:${TIDEPOOL_OPENMP}>:TIDEPOOL_OPENMP> $<$<BOOL:${TIDEPOOL_VULKAN}>:TIDEPOOL_VULKAN>)
if(TIDEPOOL_ZLIB_DIR)
  target_include_directories(tidepool_private SYSTEM INTERFACE ${TIDEPOOL_ZLIB_DIR})
endif()
if(onednn)
  target_include_directories(tidepool_private SYSTEM INTERFACE ${TIDEPOOL_ONEDNN_DIR})
  target_compile_definitions(tidepool_private INTERFACE TIDEPOOL_ONEDNN)
endif()

# Layers, files, reports and the C interface call what is fast; they need not be, and take half of the time to compile.
set(calling_sources ${sources})
set(calling "/src/((c|compute|nn|platform/load)/|monitor/report/|monitor/(advice|csv|forecast|prometheus|record_json|report|rows|run_file|run_record|trace|ways_out)\\.|io/safetensors|train/(checkpoint|diagnosis|model_file))")
list(FILTER calling_sources INCLUDE REGEX ${calling})
list(FILTER sources EXCLUDE REGEX ${calling})
add_library(tidepool_objects OBJECT ${sources})
add_library(tidepool_calling_objects OBJECT ${calling_sources})
foreach(target tidepool_objects tidepool_calling_objects)
  tidepool_options(${target})
  target_link_libraries(${target} PRIVATE tidepool_private ${dependencies})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # Same bits everywhere: no fused multiply-add but where one is written.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  # Every operation looks at a few thread-local words: without this, a function call for each.
  target_compile_options(${target} PRIVATE -ftls-model=initial-exec)
endforeach()
set(calling_optimisation $<$<NOT:$<CONFIG:Debug>>:-O1>)
if(TIDEPOOL_SANITIZE)  # which multiplies what there is to optimise: a third of the time without
  set(calling_optimisation -O0)
endif()
target_compile_options(tidepool_calling_objects PRIVATE ${calling_optimisation})
# Whoever looks for a mistake in a program of theirs does not want to wait for kernels that are not optimised.
file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*_cpu.cpp)
set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Debug>:-O1>)
if(TIDEPOOL_SANITIZE)  # Highway converts NaN to whole numbers where it has no instructions for it, and throws them away
  set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=float-cast-overflow)
endif()
# Half of the time for a usual file went to these.
set(headers <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <functional> <map> <memory> <mutex> <optional> <ostream> <span> <string>
  <unordered_map> <vector>)
target_precompile_headers(tidepool_objects PRIVATE ${headers})
if(TIDEPOOL_SANITIZE)  # a header is precompiled for one way to optimise
  target_precompile_headers(tidepool_calling_objects PRIVATE ${headers})
else()
  target_precompile_headers(tidepool_calling_objects REUSE_FROM tidepool_objects)
endif()
tidepool_together(tidepool_objects ${sources})
tidepool_together(tidepool_calling_objects ${calling_sources})
if(TIDEPOOL_VULKAN)
  if(NOT TIDEPOOL_GLSLC)
    message(FATAL_ERROR "glslc is needed for the Vulkan backend: install it (scripts/bootstrap does), or set -DTIDEPOOL_VULKAN=OFF")
  endif()
  tidepool_volk(tidepool_private)
  tidepool_shaders(tidepool_objects)
  tidepool_shaderc(tidepool_objects)
endif()

function(tidepool_library target)  # further arguments: the kind of library, as add_library takes it
  add_library(${target} ${ARGN} $<TARGET_OBJECTS:tidepool_objects> $<TARGET_OBJECTS:tidepool_calling_objects>)
  tidepool_options(${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(${target} PRIVATE ${dependencies})
endfunction()

tidepool_library(tidepool)
add_library(tidepool::tidepool ALIAS tidepool)
set_target_properties(tidepool PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# tidepool_internals(target): links the library statically, private headers included.
if(BUILD_SHARED_LIBS AND (TIDEPOOL_TESTS OR TIDEPOOL_TOOLS))
  tidepool_library(tidepool_internal STATIC EXCLUDE_FROM_ALL)
endif()
function(tidepool_internals target)
  target_link_libraries(${target} PRIVATE $<IF:$<BOOL:${BUILD_SHARED_LIBS}>,tidepool_internal,tidepool> tidepool_private)
endfunction()
