# cmake -DPAGE=<folder> -DCHART=<chart.min.js> -DOUTPUT=<file.cpp> -P embed_page.cmake: writes the live page's parts as arrays of bytes.
# The scripts of the page are those that scripts.txt names, in that order, as one.
file(STRINGS ${PAGE}/scripts.txt scripts)
list(TRANSFORM scripts PREPEND ${PAGE}/)
set(text "// Made by cmake/embed_page.cmake.\n#include \"monitor/web/page.h\"\n\nnamespace tidepool::inline v0::monitor::web {\nnamespace {\n")
function(embed name)  # further arguments: files
  set(bytes "")
  foreach(path IN LISTS ARGN)
    file(READ ${path} hex HEX)
    string(APPEND bytes "${hex}0a")  # a script may end without a line's end
  endforeach()
  string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  set(text "${text}constexpr unsigned char ${name}_bytes[] = {\n${bytes}};\n" PARENT_SCOPE)
endfunction()
embed(index ${PAGE}/index.html)
embed(style ${PAGE}/style.css)
embed(chart ${CHART})
embed(app ${scripts})
string(APPEND text "template <std::size_t n>\nstd::string_view text_of(const unsigned char (&bytes)[n]) {\n  return {reinterpret_cast<const char*>(bytes), n};\n}\n}  // namespace\n\n"
  "PageParts page_parts() { return {text_of(index_bytes), text_of(style_bytes), text_of(chart_bytes), text_of(app_bytes)}; }\n\n"
  "}  // namespace tidepool::inline v0::monitor::web\n")
file(WRITE ${OUTPUT} "${text}")
