# tidepool_shaders(target): compiles every shader under src/ and embeds the result in the target, by name.
#
# A plain `src/ops/<family>/x.comp` becomes the shader "x". A `.comp` named in a `.def` table, in lines like
# `// shader: unary.comp -> NAME` and `// shader: unary.comp -DGRAD -> NAME_grad`, becomes one shader for each line of
# the table; `// shader: unary.comp of UNARY -> NAME` for each line that begins with UNARY(.
#
# What the words of the tables mean to GLSL goes along as text, shaders/words.inc, for shaders that are made at run time.
find_program(TIDEPOOL_GLSLC glslc)

function(tidepool_shader_words)
  set(files ${PROJECT_SOURCE_DIR}/src/ops/words.glsl ${PROJECT_SOURCE_DIR}/src/ops/math.glsl)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  list(GET files 0 first)
  list(GET files 1 second)
  file(READ ${first} words)
  file(READ ${second} math)
  string(REPLACE "#include \"ops/math.glsl\"\n" "${math}" words "${words}")
  string(REGEX REPLACE "//[^\n]*" "" words "${words}")
  string(REGEX REPLACE "\n[ \n]+" "\n" words "${words}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/shaders/words.inc CONTENT "R\"glsl(${words})glsl\"\n" @ONLY)
endfunction()

set(shader_flags -O --target-env=vulkan1.2 -Werror -I ${PROJECT_SOURCE_DIR}/src)

# Compiles one shader into ${PROJECT_BINARY_DIR}/shaders/<name>.inc, a list of words to #include in an array.
function(tidepool_compile_shader name source)  # further arguments: macros
  set(words ${PROJECT_BINARY_DIR}/shaders/${name}.inc)
  list(TRANSFORM ARGN PREPEND -D OUTPUT_VARIABLE macros)
  add_custom_command(
    OUTPUT ${words}
    COMMAND ${TIDEPOOL_GLSLC} ${shader_flags} ${macros} -mfmt=num -MD -MF ${words}.d ${source} -o ${words}
    DEPENDS ${source}
    DEPFILE ${words}.d
    COMMENT "Shader ${name}"
    VERBATIM)
endfunction()

# Compiles shaders into <name>.comp.spv, words as above, many in one go: glslc takes ten times longer to start than for a usual shader.
function(tidepool_compile_shaders)  # arguments: sources
  file(GLOB_RECURSE included CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/*.glsl ${PROJECT_SOURCE_DIR}/src/ops/*.def)
  list(LENGTH ARGN count)
  foreach(first RANGE 0 ${count} 16)
    list(SUBLIST ARGN ${first} 16 some)
    if(some)
      list(TRANSFORM some REPLACE "^.*/([^/]+)$" "${PROJECT_BINARY_DIR}/shaders/\\1.spv" OUTPUT_VARIABLE words)
      add_custom_command(
        OUTPUT ${words}
        COMMAND ${TIDEPOOL_GLSLC} ${shader_flags} -mfmt=num -c ${some}
        WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/shaders
        DEPENDS ${some} ${included}
        COMMENT "Shaders from ${first}"
        VERBATIM)
    endif()
  endforeach()
endfunction()

# Writes <name>.comp: a template with macros, which may not stand before its first line.
function(tidepool_shader_variant name template)  # further arguments: macros
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${template})
  file(READ ${template} text)
  list(TRANSFORM ARGN REPLACE "^([A-Z0-9_]+)=?(.*)$" "#define \\1 \\2\n" OUTPUT_VARIABLE macros)
  string(CONCAT macros "#extension GL_GOOGLE_include_directive : require\n" ${macros} "#line 2 \"${template}\"\n")
  string(REPLACE "#version 450\n" "#version 450\n${macros}" text "${text}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/shaders/${name}.comp CONTENT "${text}" @ONLY)
endfunction()

function(tidepool_shaders target)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/shaders)
  tidepool_shader_words()
  set(shaders)
  file(GLOB_RECURSE tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/*.def)
  set(templates)
  foreach(table IN LISTS tables)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
    get_filename_component(folder ${table} DIRECTORY)
    file(STRINGS ${table} recipes REGEX "^// shader: ")
    foreach(recipe IN LISTS recipes)
      string(REGEX MATCH "^// shader: ([a-z_]+\\.comp)( -D[A-Z0-9_]+)?( of [A-Z_]+)? -> NAME([a-z0-9_]*)$" matched "${recipe}")
      if(NOT matched)
        message(FATAL_ERROR "${table}: cannot read the line '${recipe}'")
      endif()
      set(source ${folder}/${CMAKE_MATCH_1})
      set(suffix ${CMAKE_MATCH_4})
      string(REPLACE " -D" "" macro "${CMAKE_MATCH_2}")
      string(REPLACE " of " "" kind "${CMAKE_MATCH_3}")
      if(NOT kind)
        set(kind "[A-Z_]+")
      endif()
      file(STRINGS ${table} lines REGEX "^${kind}\\(")
      string(REPLACE "\\;" ";" lines "${lines}")  # a line that goes on in the next would swallow the list's separator
      list(APPEND templates ${source})
      foreach(line IN LISTS lines)
        string(REGEX REPLACE "^[A-Z_]+\\( *([a-z0-9_]+).*" "\\1" op "${line}")
        tidepool_shader_variant(${op}${suffix} ${source} OP=${op} ${macro})
        list(APPEND shaders ${PROJECT_BINARY_DIR}/shaders/${op}${suffix}.comp)
      endforeach()
    endforeach()
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/*.comp)
  foreach(source IN LISTS sources)
    if(NOT source IN_LIST templates)
      list(APPEND shaders ${source})
    endif()
  endforeach()
  tidepool_compile_shaders(${shaders})

  list(TRANSFORM shaders REPLACE "^.*/([^/]+)\\.comp$" "\\1" OUTPUT_VARIABLE names)
  list(SORT names)
  set(text "// Made by cmake/shaders.cmake.\n#include \"backend/vulkan/shaders.h\"\n\nnamespace tidepool::inline v0 {\nnamespace {\n")
  set(rows "")
  set(files)
  foreach(name IN LISTS names)
    string(APPEND text "constexpr std::uint32_t ${name}_words[] = {\n#include \"shaders/${name}.comp.spv\"\n};\n")
    string(APPEND rows "    {\"${name}\", ${name}_words},\n")
    list(APPEND files ${PROJECT_BINARY_DIR}/shaders/${name}.comp.spv)
  endforeach()
  string(APPEND text "constexpr Shader all[] = {\n${rows}};\n}  // namespace\n\nstd::span<const Shader> shaders() { return all; }\n\n}  // namespace tidepool::inline v0\n")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/shaders/shaders.cpp CONTENT "${text}" @ONLY)
  set_source_files_properties(${PROJECT_BINARY_DIR}/shaders/shaders.cpp PROPERTIES OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/shaders/shaders.cpp ${files})
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR})
endfunction()
