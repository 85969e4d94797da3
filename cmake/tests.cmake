# Every folder of tests/ is one GoogleTest program, tidepool_test_<folder>.
#
# Labels follow from a test's name: "vulkan" in it (any case) gives `vulkan`, "Threads" gives `threads`, "Slow" gives
# `slow`; the performance gates are `gate`.
find_package(GTest REQUIRED)
include(GoogleTest)

function(tidepool_keep_libraries target)
  if(TIDEPOOL_SANITIZE MATCHES "address")
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/keep_libraries.cpp)
    target_link_options(${target} PRIVATE LINKER:--export-dynamic-symbol=dlclose LINKER:--export-dynamic-symbol=__asan_default_options)
  endif()
endfunction()

# The C interface is tested from C as well, by the example in C, and by one in Python, which takes the shared library (and cannot
# take one with a sanitizer in it).
function(tidepool_c_tests target)
  target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/c/only_c.c)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/c/only_c.c PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  target_compile_definitions(${target} PRIVATE TIDEPOOL_XOR_C="$<TARGET_FILE:example_xor_c>")
  add_dependencies(${target} example_xor_c)
  tidepool_keep_libraries(example_xor_c)
  if(TIDEPOOL_SANITIZE)
    return()
  endif()
  set(shared tidepool)
  if(NOT BUILD_SHARED_LIBS)
    set(shared tidepool_shared)
    tidepool_library(${shared} SHARED EXCLUDE_FROM_ALL)
  endif()
  target_compile_definitions(${target} PRIVATE TIDEPOOL_SHARED_LIBRARY="$<TARGET_FILE:${shared}>")
  add_dependencies(${target} ${shared})
  find_program(TIDEPOOL_PYTHON python3 HINTS /usr/bin)
  if(TIDEPOOL_PYTHON)
    target_compile_definitions(${target} PRIVATE TIDEPOOL_PYTHON="${TIDEPOOL_PYTHON}")
  endif()
endfunction()

# The examples of the documentation, as tests: cmake/docs_examples.cpp.
function(tidepool_docs_tests target)
  add_executable(tidepool_docs_examples ${PROJECT_SOURCE_DIR}/cmake/docs_examples.cpp)
  tidepool_options(tidepool_docs_examples)
  file(GLOB_RECURSE pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/docs/*.md)
  list(APPEND pages README.md)
  foreach(unit reference guide others)
    set(of_unit ${pages})
    if(unit STREQUAL "others")
      list(FILTER of_unit EXCLUDE REGEX "^docs/(reference|guide)/")
    else()
      list(FILTER of_unit INCLUDE REGEX "^docs/${unit}/")
    endif()
    set(source ${PROJECT_BINARY_DIR}/docs_examples/${unit}.cpp)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/docs_examples)
    set(files ${of_unit})
    list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/)
    add_custom_command(OUTPUT ${source}
      COMMAND tidepool_docs_examples ${PROJECT_SOURCE_DIR} ${source} ${of_unit}
      DEPENDS tidepool_docs_examples ${files} VERBATIM)
    target_sources(${target} PRIVATE ${source})
    # They show what there is, and need not use it.
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-Wno-unused;-O0" SKIP_PRECOMPILE_HEADERS ON)
  endforeach()
  if(TARGET tidepool_web)
    tidepool_web_internals(${target})
    target_compile_definitions(${target} PRIVATE TIDEPOOL_DOCS_WEB)
  endif()
endfunction()

function(tidepool_test_options target)
  tidepool_options(${target})
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)  # it is the library that is to be fast
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # gcc 12 sees ghosts in strings that are added, and in std::regex
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict -Wno-maybe-uninitialized)
  endif()
  tidepool_internals(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE GTest::gtest)
endfunction()

# Half of the time for a usual file went to these.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cpp CONTENT "" @ONLY)
add_library(tidepool_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cpp)
tidepool_test_options(tidepool_test_headers)
target_precompile_headers(tidepool_test_headers PRIVATE <algorithm> <atomic> <chrono> <cmath> <filesystem> <fstream> <functional> <limits> <map>
  <memory> <random> <set> <span> <sstream> <string> <thread> <vector> <gtest/gtest.h> <tidepool/tidepool.h>)

set(lists)
file(GLOB folders CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*)
foreach(folder IN LISTS folders)
  get_filename_component(name ${folder} NAME)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_stand_in\\.cpp$")  # a library, for tests that open it
  if(NOT IS_DIRECTORY ${folder} OR NOT sources OR name STREQUAL "consumer" OR (name STREQUAL "cli" AND NOT TARGET tidepool_cli)
     OR (name STREQUAL "web" AND NOT TARGET tidepool_web))
    continue()
  endif()
  if(name STREQUAL "fuzz")
    tidepool_fuzz_sources(fuzzed)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*_test.cpp)
    list(APPEND sources ${folder}/target.cpp ${folder}/datasets.cpp ${fuzzed})
  endif()
  set(target tidepool_test_${name})
  add_executable(${target} ${sources})
  tidepool_test_options(${target})
  target_precompile_headers(${target} REUSE_FROM tidepool_test_headers)
  target_compile_definitions(${target} PRIVATE TIDEPOOL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE GTest::gtest_main)
  if(name STREQUAL "cli")
    target_compile_definitions(${target} PRIVATE TIDEPOOL_TOOL="$<TARGET_FILE:tidepool_cli>")
    add_dependencies(${target} tidepool_cli)
    file(GLOB watch CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/watch/*.cpp)  # what draws is looked at by itself as well
    target_sources(${target} PRIVATE ${watch} $<TARGET_OBJECTS:tidepool_flight_objects>)
  endif()
  if(name STREQUAL "web")
    tidepool_web_internals(${target})
  endif()
  if(name STREQUAL "fuzz")
    tidepool_fuzz_parts(${target})
  endif()
  if(name STREQUAL "c")
    tidepool_c_tests(${target})
  endif()
  if(name STREQUAL "reference")
    tidepool_docs_tests(${target})
  endif()
  tidepool_keep_libraries(${target})
  gtest_discover_tests(${target} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
  list(APPEND lists ${target}_TESTS)
endforeach()

# gtest_discover_tests cannot label by name; this runs in ctest, after it, over the names that it found.
set(TIDEPOOL_TEST_LISTS ${lists})
configure_file(${PROJECT_SOURCE_DIR}/cmake/test_labels.cmake.in ${PROJECT_BINARY_DIR}/test_labels.cmake @ONLY)
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${PROJECT_BINARY_DIR}/test_labels.cmake)

# A shader of the tests' own, as shaders/axpy.inc; the library does not know it.
if(TIDEPOOL_VULKAN AND EXISTS ${PROJECT_SOURCE_DIR}/tests/device/axpy.comp AND TARGET tidepool_test_device)
  tidepool_compile_shader(axpy ${PROJECT_SOURCE_DIR}/tests/device/axpy.comp)
  target_sources(tidepool_test_device PRIVATE ${PROJECT_BINARY_DIR}/shaders/axpy.inc)
endif()

# Libraries that stand in for what few machines have; the file that opens one gets its path.
function(tidepool_stand_in target library user definition)
  if(NOT TARGET ${target})
    return()
  endif()
  get_filename_component(name ${library} NAME_WE)
  add_library(tidepool_${name} MODULE ${PROJECT_SOURCE_DIR}/tests/${library})
  tidepool_options(tidepool_${name})
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/${user} PROPERTIES COMPILE_DEFINITIONS ${definition}="$<TARGET_FILE:tidepool_${name}>")
  add_dependencies(${target} tidepool_${name})
endfunction()
tidepool_stand_in(tidepool_test_device device/load/nvml_stand_in.cpp device/load/load_test.cpp TIDEPOOL_NVML_STAND_IN)
tidepool_stand_in(tidepool_test_cli cli/crashing_driver_stand_in.cpp cli/doctor_test.cpp TIDEPOOL_CRASHING_DRIVER)

# Every public header compiles alone, and twice.
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/tidepool/*.h)
set(units)
foreach(header IN LISTS headers)
  set(unit ${PROJECT_BINARY_DIR}/headers/${header}.cpp)
  file(CONFIGURE OUTPUT ${unit} CONTENT "#include <${header}>\n#include <${header}>  // NOLINT\n" @ONLY)
  list(APPEND units ${unit})
endforeach()
add_library(tidepool_headers OBJECT ${units})
tidepool_options(tidepool_headers)
target_link_libraries(tidepool_headers PRIVATE tidepool::tidepool)
add_test(NAME headers.every_public_header_compiles_alone
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target tidepool_headers)

# Examples that are quick; their exit status says whether the numbers were right.
foreach(example own_kernel trajectories)
  if(TARGET example_${example})
    add_test(NAME examples.${example} COMMAND example_${example})
    set_tests_properties(examples.${example} PROPERTIES TIMEOUT 120)
  endif()
endforeach()

if(TARGET tidepool_gates)
  add_test(NAME gates COMMAND tidepool_gates)
  set_tests_properties(gates PROPERTIES LABELS gate RUN_SERIAL ON TIMEOUT 600)
endif()

# What bench/compare computes and writes; nothing is timed.
find_package(Python3 3.11 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME compare.what_it_computes_and_writes
    COMMAND ${Python3_EXECUTABLE} -B -m unittest discover -s ${PROJECT_SOURCE_DIR}/bench/compare)
endif()
