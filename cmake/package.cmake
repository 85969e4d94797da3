# cpack -G DEB: packages for Debian 12, from a build with BUILD_SHARED_LIBS and the prefix /usr; scripts/package makes and checks them.
#
#     libtidepool0.1   the shared libraries, for programs that use them
#     libtidepool-dev  headers, CMake package and pkg-config files
#     tidepool         the command
option(TIDEPOOL_PACKAGE "Make the rules for Debian packages" OFF)
if(NOT TIDEPOOL_PACKAGE)
  return()
endif()

set(library_package libtidepool${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tidepool)
set(CPACK_PACKAGE_VENDOR Tidepool)
set(CPACK_PACKAGE_CONTACT "Tidepool maintainers <maintainers@tidepool.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL library development)
if(TARGET tidepool_cli)
  list(APPEND CPACK_COMPONENTS_ALL command)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)

# The first line is the summary; the others say more.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
function(tidepool_describe component summary)  # further arguments: lines
  string(TOUPPER ${component} component)
  list(PREPEND ARGN "${summary}"
    "Tidepool makes tensors and trains neural networks inside programs written in"
    "C++ or C, on any Vulkan GPU or the CPU, within a memory limit. When a device"
    "is lost, training goes on." "")
  list(JOIN ARGN "\n" text)
  set(CPACK_COMPONENT_${component}_DESCRIPTION "${text}" PARENT_SCOPE)
endfunction()

tidepool_describe(library "training of neural networks on Vulkan GPUs, libraries" "These are the shared libraries that programs use.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
# They are opened at run time, where they are there.
set(opened libvulkan1 libdnnl2 zlib1g)
list(JOIN opened ", " CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS mesa-vulkan-drivers)
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/triggers)

tidepool_describe(development "training of neural networks on Vulkan GPUs, headers" "This is what it takes to build programs with it.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtidepool-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)

tidepool_describe(command "training of neural networks on Vulkan GPUs, command"
  "The command lists and checks devices, trains and evaluates small networks,"
  "watches runs, and measures.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME tidepool)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
list(JOIN opened ", " CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "${library_package}, dataset-fashion-mnist")  # the library's has the compiler of GLSL

# What Debian has in each package's folder for documentation: the license, notices of what is built in, and changes.
set(made ${PROJECT_BINARY_DIR}/package)
file(CONFIGURE OUTPUT ${made}/copyright CONTENT "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tidepool

Files: *
Copyright: the Tidepool authors
License: Apache-2.0
 On Debian systems the text of the license is in /usr/share/common-licenses/Apache-2.0.
" @ONLY)
set(notices "Parts of these projects are built into the programs and libraries of this package. What follows are their own notices, as Debian has them.\n")
foreach(part libhwy-dev nlohmann-json3-dev libvulkan-volk-dev libshaderc-dev glslang-dev spirv-tools libjs-chart.js libcli11-dev libbenchmark-dev)
  if(EXISTS /usr/share/doc/${part}/copyright)
    file(READ /usr/share/doc/${part}/copyright notice)
    string(APPEND notices "\n== ${part}\n\n${notice}")
  endif()
endforeach()
file(WRITE ${made}/notices "${notices}")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${made}/changelog CONTENT "tidepool (${PROJECT_VERSION}) unstable; urgency=medium

  * The changes of this version are in CHANGELOG.md of the sources.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
" @ONLY)
file(COPY ${PROJECT_SOURCE_DIR}/docs/tidepool.1 DESTINATION ${made})
find_program(TIDEPOOL_GZIP gzip REQUIRED)
foreach(file changelog notices tidepool.1)
  execute_process(COMMAND ${TIDEPOOL_GZIP} -9nc ${made}/${file} OUTPUT_FILE ${made}/${file}.gz COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES ${made}/copyright ${made}/changelog.gz ${made}/notices.gz DESTINATION share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component})
endforeach()
if(TARGET tidepool_cli)
  install(FILES ${made}/tidepool.1.gz DESTINATION share/man/man1 COMPONENT command)
endif()

include(CPack)
