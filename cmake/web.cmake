# tidepool::web, the live page of the monitor: src/monitor/web/ over libmicrohttpd, with the page and Chart.js inside.
# As the library itself it is compiled once; tests and tools, which use private headers, take the objects.
find_path(TIDEPOOL_MICROHTTPD_DIR microhttpd.h)
find_library(TIDEPOOL_MICROHTTPD microhttpd)
find_file(TIDEPOOL_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist DOC "Chart.js 3, minified")
set(missing)
if(NOT TIDEPOOL_MICROHTTPD_DIR OR NOT TIDEPOOL_MICROHTTPD)
  list(APPEND missing "libmicrohttpd (Debian: libmicrohttpd-dev)")
endif()
if(NOT TIDEPOOL_CHART_JS)
  list(APPEND missing "Chart.js (Debian: libjs-chart.js, or set TIDEPOOL_CHART_JS to a chart.min.js)")
endif()
if(missing)
  list(JOIN missing " and " missing)
  message(STATUS "The monitor's live page, tidepool::web, is not built: it needs ${missing}")
  return()
endif()

set(page ${PROJECT_SOURCE_DIR}/src/monitor/web/page)
file(GLOB page_files CONFIGURE_DEPENDS ${page}/*)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/web)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/web/page_parts.cpp
  COMMAND ${CMAKE_COMMAND} -DPAGE=${page} -DCHART=${TIDEPOOL_CHART_JS} -DOUTPUT=${PROJECT_BINARY_DIR}/web/page_parts.cpp
    -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  DEPENDS ${page_files} ${TIDEPOOL_CHART_JS} ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  COMMENT "Embedding the live page"
  VERBATIM)

file(GLOB web_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/monitor/web/*.cpp)
add_library(tidepool_web_objects OBJECT ${web_sources} ${PROJECT_BINARY_DIR}/web/page_parts.cpp)
tidepool_options(tidepool_web_objects)
target_link_libraries(tidepool_web_objects PRIVATE tidepool_private Threads::Threads)
target_include_directories(tidepool_web_objects SYSTEM PRIVATE ${TIDEPOOL_MICROHTTPD_DIR})
set_target_properties(tidepool_web_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_options(tidepool_web_objects PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)  # it waits for browsers
tidepool_together(tidepool_web_objects ${web_sources})

add_library(tidepool_web $<TARGET_OBJECTS:tidepool_web_objects>)
add_library(tidepool::web ALIAS tidepool_web)
tidepool_options(tidepool_web)
set_target_properties(tidepool_web PROPERTIES EXPORT_NAME web INSTALL_RPATH "$ORIGIN" VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
# Where it is installed, the library is found again by its name.
target_link_libraries(tidepool_web PUBLIC tidepool
  PRIVATE Threads::Threads $<BUILD_INTERFACE:${TIDEPOOL_MICROHTTPD}> $<INSTALL_INTERFACE:microhttpd>)

# tidepool_web_internals(target): for those who have linked tidepool_internals and want the page as well.
function(tidepool_web_internals target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:tidepool_web_objects>)
  target_link_libraries(${target} PRIVATE ${TIDEPOOL_MICROHTTPD})
  target_include_directories(${target} SYSTEM PRIVATE ${TIDEPOOL_MICROHTTPD_DIR})
endfunction()
