#include "backend/vulkan/shaderc.h"

#include <tidepool/error.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>

#include "backend/vulkan/compiled_file.h"
#include "backend/vulkan/shaderc_module.h"
#include "platform/cat.h"
#include "platform/child_process.h"
#include "platform/environment.h"
#include "platform/library.h"
#include "platform/one_line.h"
#include "platform/roomy_thread.h"

namespace tidepool::inline v0 {

namespace {

struct Module {
  shaderc_module::Compile compile = nullptr;
  shaderc_module::Validate validate = nullptr;
};

std::optional<Module> open_module(const std::string& path) {
  Library library(path);
  Module module;
  library.find(module.compile, shaderc_module::compile_name);
  library.find(module.validate, shaderc_module::validate_name);
  return library.has_all() ? std::optional(module) : std::nullopt;
}

std::optional<Module> find_module() {
  for (const std::string& folder : {folder_of_this_library(), folder_of_this_program()})
    if (!folder.empty())
      if (const auto found = open_module(cat(folder, '/', shaderc_module::file))) return found;
  return open_module(shaderc_module::file);
}

const Module* module() {
  if (const auto path = environment("TIDEPOOL_SHADERC")) {
    if (*path == "0") return nullptr;
    static const std::optional<Module> named = open_module(*path);
    if (named) return &*named;
  }
  static const std::optional<Module> found = find_module();
  return found ? &*found : nullptr;
}

// What a compiler or a validator says: bytes of SPIR-V, or text.
struct Said {
  bool good = false;
  std::string bytes;
};
void take(void* to, const void* bytes, std::size_t count) { static_cast<Said*>(to)->bytes.assign(static_cast<const char*>(bytes), count); }

// A sum of so many terms is a tree as deep, of which each level takes the compiler about a kilobyte of stack.
constexpr std::size_t most_source = std::size_t{256} << 10, stack_of_compiler = most_source << 10;

// The shell finds the program, or ends with 127.
constexpr int not_found = 127;
ChildResult run_tool(const char* line, std::string_view input) {
  return run_program("/bin/sh", {"-c", line}, {}, std::chrono::seconds(60), input);
}
std::optional<Said> by_tool(const char* line, std::string_view input) {
  ChildResult child = run_tool(line, input);
  if (child.status == not_found) return std::nullopt;
  if (child.timed_out || child.signal) return Said{false, cat("error: ", child.timed_out ? "it takes too long" : "the program crashed")};
  return Said{child.status == 0, std::move(child.output)};
}

std::optional<Said> compile(std::string_view text) {
  const Module* const opened = module();
  if (!opened) return by_tool("exec glslc -w -fshader-stage=compute -O --target-env=vulkan1.2 -o - - 2>&1", text);
  Said said;
  with_room(stack_of_compiler, [&] { said.good = opened->compile(text.data(), text.size(), take, &said); });
  return said;
}

std::optional<Said> validate(std::span<const std::uint32_t> words) {
  const Module* const opened = module();
  if (!opened)
    return by_tool("exec spirv-val --target-env vulkan1.2 - 2>&1", {reinterpret_cast<const char*>(words.data()), words.size_bytes()});
  Said said;
  with_room(stack_of_compiler, [&] { said.good = opened->validate(words.data(), words.size(), take, &said); });
  return said;
}

// What the compiler says first: "<stdin>:7: error: 'foo' : undeclared identifier".
struct Complaint {
  std::size_t line = 0;  // from 1; 0: of none in particular
  std::string text;
};

Complaint first_error(std::string_view messages) {
  const std::string_view mark = "error: ";
  const std::size_t error = messages.find(mark);
  if (error == messages.npos) return {0, std::string(messages.substr(0, messages.find('\n')))};
  const std::string_view rest = messages.substr(error + mark.size());
  Complaint complaint{0, std::string(rest.substr(0, rest.find('\n')))};
  const std::size_t begin = error == 0 ? 0 : messages.rfind('\n', error - 1) + 1;  // npos + 1 is the start
  const std::string_view place = messages.substr(begin, error - begin);
  if (const std::size_t colon = place.find(':'); colon != place.npos)
    std::from_chars(place.data() + colon + 1, place.data() + place.size(), complaint.line);
  return complaint;
}

// Without the spaces around it.
std::string_view line_of(std::string_view source, std::size_t line) {
  for (; line > 1 && !source.empty(); --line) {
    const std::size_t end = source.find('\n');
    source = end == source.npos ? std::string_view{} : source.substr(end + 1);
  }
  source = source.substr(0, source.find('\n'));
  const std::size_t first = source.find_first_not_of(" \t\r");
  return first == source.npos ? std::string_view{} : source.substr(first, source.find_last_not_of(" \t\r") + 1 - first);
}

// What follows the word of the first #version; nothing when there is none.
std::optional<std::string_view> version_line(std::string_view source) {
  for (std::size_t at = source.find('#'); at != source.npos; at = source.find('#', at + 1)) {
    const std::size_t word = source.find_first_not_of(" \t", at + 1);
    if (word == source.npos || !source.substr(word).starts_with("version")) continue;
    const std::string_view rest = source.substr(word + std::string_view("version").size());
    return rest.substr(0, rest.find('\n'));
  }
  return std::nullopt;
}

// The compiler has words to say about older ones on standard output, which is not ours.
void require_version(std::string_view kernel, std::string_view source) {
  const std::string_view line = version_line(source).value_or("");
  int version = 0;
  const std::size_t digit = std::min(line.find_first_not_of(" \t"), line.size());
  const char* const end = std::from_chars(line.data() + digit, line.data() + line.size(), version).ptr;
  const std::string_view rest = line.substr(static_cast<std::size_t>(end - line.data()));
  const std::string_view profile = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
  const bool embedded = profile.substr(0, profile.find_first_of(" \t\r/")) == "es";
  if (version < (embedded ? 310 : 420) || version > (embedded ? 320 : 460))
    throw ArgumentError(kernel, cat("the GLSL does not compile: it begins with '#version ", one_line(line.substr(digit), 20),
                                    "'; compute shaders for Vulkan begin with '#version 450'"));
}

[[noreturn]] void does_not_compile(std::string_view kernel, std::string_view source, std::string_view messages) {
  const Complaint complaint = first_error(messages);
  constexpr std::size_t most_shown = 120, most_said = 300;
  const std::string line = complaint.line ? one_line(line_of(source, complaint.line), most_shown) : "";
  std::string where;
  if (complaint.line) where = cat("line ", complaint.line, ": ");
  throw ArgumentError(
      kernel, cat("the GLSL does not compile: ", where, one_line(complaint.text, most_said), line.empty() ? "" : "; the line is: ", line));
}

}  // namespace

bool says_its_version(std::string_view glsl) { return version_line(glsl).has_value(); }

bool has_glsl_compiler() { return module() || run_tool("command -v glslc", {}).status == 0; }

std::vector<std::uint32_t> compile_glsl(std::string_view kernel, std::string_view source, std::string_view before) {
  if (source.size() > most_source)
    throw ArgumentError(kernel,
                        cat("the GLSL has ", source.size(), " bytes; at most ", most_source, " are compiled: put tables into buffers"));
  const std::string text = before.empty() ? std::string(source) : cat(before, "#line 1\n", source);
  const CompiledFile file(text);
  if (auto words = file.read(); !words.empty()) return words;
  require_version(kernel, text);
  const std::optional<Said> said = compile(text);
  if (!said)
    throw DeviceError(kernel,
                      cat("compiling GLSL needs ", shaderc_module::file,
                          ", which is not where it is looked for, or the program glslc; install one (Debian: glslc), or give SPIR-V"));
  if (!said->good) does_not_compile(kernel, source, said->bytes);
  std::vector<std::uint32_t> words(said->bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), said->bytes.data(), words.size() * sizeof(std::uint32_t));
  file.write(words);
  return words;
}

std::vector<std::uint32_t> compile_glsl_if_quick(std::string_view kernel, std::string_view source) {
  if (environment("TIDEPOOL_SHADERC") == "0") return {};
  if (auto words = CompiledFile(source).read(); !words.empty()) return words;
  return module() ? compile_glsl(kernel, source) : std::vector<std::uint32_t>{};
}

bool require_valid(std::string_view kernel, std::span<const std::uint32_t> words) {
  std::optional<Said> said = validate(words);
  if (!said) return false;
  if (said->good) return true;
  for (char& c : said->bytes)
    if (c == '\n') c = ' ';
  constexpr std::size_t most_said = 400;
  throw ArgumentError(kernel, cat("the SPIR-V is not valid: ", one_line(said->bytes, most_said)));
}

}  // namespace tidepool::inline v0
