# tidepool_together(target sources...): files of a folder are compiled as one, up to ten, which takes half of the time, where nobody develops: then a
# changed file is compiled alone, and each has to stand alone. Kernels for several instruction sets include themselves, so they stay alone, and so
# does volk, which is not ours.
function(tidepool_together target)
  if(NOT TIDEPOOL_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    if(NOT source MATCHES "_cpu\\.cpp$|/volk\\.cpp$" AND source MATCHES "^${PROJECT_SOURCE_DIR}/(.+)/[^/]+$")
      string(REPLACE "/" "_" folder ${CMAKE_MATCH_1})
      math(EXPR count_${folder} "0${count_${folder}} + 1")
      math(EXPR group "(${count_${folder}} - 1) / 10")
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder}_${group})
    endif()
  endforeach()
endfunction()

# tidepool_options(target): how our own sources are compiled. Nothing here touches a project that includes us.
function(tidepool_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  if(TIDEPOOL_TESTS OR TIDEPOOL_EXAMPLES OR TIDEPOOL_WERROR)  # warnings are for those who develop; looking for them takes a tenth of the time
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion $<$<COMPILE_LANGUAGE:C>:-Werror>)
  endif()
  if(TIDEPOOL_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(TIDEPOOL_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TIDEPOOL_SANITIZE} -fno-omit-frame-pointer -g1)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # which sees ghosts in std::optional there
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
    target_link_options(${target} PUBLIC -fsanitize=${TIDEPOOL_SANITIZE})
  endif()
endfunction()
