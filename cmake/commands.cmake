# The commands of the `tidepool` command (src/cli/, one file per command, what larger ones need in folders) and the benchmarks that one of
# them runs, as objects: for the program itself, and for those who give it command lines.
find_package(benchmark REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

file(GLOB_RECURSE cli CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.cpp)
list(FILTER cli EXCLUDE REGEX "/src/cli/main\\.cpp$")
file(GLOB benchmarks CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
list(FILTER benchmarks EXCLUDE REGEX "/bench/(gates[^/]*|start\\.cpp)$")

# What flies is to be fast, with the same bits every time; tests look at it by itself as well.
set(flights ${cli})
list(FILTER flights INCLUDE REGEX "/src/cli/trajectories/")
list(FILTER cli EXCLUDE REGEX "/src/cli/trajectories/")
add_library(tidepool_flight_objects OBJECT EXCLUDE_FROM_ALL ${flights})
tidepool_options(tidepool_flight_objects)
tidepool_internals(tidepool_flight_objects)
target_compile_options(tidepool_flight_objects PRIVATE -ffp-contract=off $<$<NOT:$<CONFIG:Debug>>:-O2>)
if(TIDEPOOL_VULKAN)
  foreach(adaptive 0 1)
    tidepool_compile_shader(fly_${adaptive} ${PROJECT_SOURCE_DIR}/src/cli/trajectories/fly.comp ADAPTIVE=${adaptive})
    target_sources(tidepool_flight_objects PRIVATE ${PROJECT_BINARY_DIR}/shaders/fly_${adaptive}.inc)
  endforeach()
endif()

# The command line by itself: full optimisation gains nothing there.
add_library(tidepool_cli_objects OBJECT EXCLUDE_FROM_ALL ${cli})
target_compile_options(tidepool_cli_objects PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
tidepool_together(tidepool_cli_objects ${cli})
add_library(tidepool_bench_objects OBJECT EXCLUDE_FROM_ALL ${benchmarks})
tidepool_together(tidepool_bench_objects ${benchmarks})
# Half of the time for a usual file went to these.
target_precompile_headers(tidepool_cli_objects PRIVATE <filesystem> <functional> <iostream> <memory> <nlohmann/json.hpp> <optional> <string>
  <vector>)
if(NOT TIDEPOOL_TOGETHER)  # otherwise it is one file, see tidepool_together
  target_precompile_headers(tidepool_bench_objects PRIVATE <benchmark/benchmark.h> <functional> <memory> <string> <vector>)
endif()
if(TARGET tidepool_web)
  target_compile_definitions(tidepool_cli_objects PRIVATE TIDEPOOL_WEB)
endif()
foreach(target tidepool_cli_objects tidepool_bench_objects)
  tidepool_options(${target})
  tidepool_internals(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE CLI11::CLI11 nlohmann_json::nlohmann_json benchmark::benchmark)
endforeach()

# tidepool_commands(target): for those who have linked tidepool_internals, and tidepool_web_internals where there is a page.
function(tidepool_commands target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:tidepool_cli_objects> $<TARGET_OBJECTS:tidepool_flight_objects>
    $<TARGET_OBJECTS:tidepool_bench_objects>)
  target_link_libraries(${target} PRIVATE benchmark::benchmark)
endfunction()
