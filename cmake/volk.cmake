# tidepool_volk(target): lets those who link the interface target include volk, which opens the Vulkan loader at run
# time, under names of our own.
# volk defines variables with the names of the Vulkan functions; a program that links the loader itself would clash with
# a static Tidepool. A header made here from volk's own declarations renames them all.
function(tidepool_volk target)
  find_path(TIDEPOOL_VOLK_DIR volk.h REQUIRED)
  file(STRINGS ${TIDEPOOL_VOLK_DIR}/volk.h lines REGEX "^extern PFN_vk|^[a-zA-Z].* volk[A-Z][A-Za-z]*\\(")
  set(text "// Made by cmake/volk.cmake.\n#pragma once\n")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "(volk[A-Z][A-Za-z]*)\\(|(vk[A-Za-z0-9]+) *;?$" matched "${line}")
    string(APPEND text "#define ${CMAKE_MATCH_1}${CMAKE_MATCH_2} tidepool_${CMAKE_MATCH_1}${CMAKE_MATCH_2}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/shaders/volk_names.h CONTENT "${text}" @ONLY)
  target_include_directories(${target} SYSTEM INTERFACE ${TIDEPOOL_VOLK_DIR})
endfunction()
