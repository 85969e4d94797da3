#include "device/chain_text.h"

#include "platform/cat.h"

#include <algorithm>
#include <utility>

namespace tidepool::inline v0 {

namespace {

constexpr std::string_view table_words =
#ifdef TIDEPOOL_VULKAN
#include "shaders/words.inc"
#else
    ""
#endif
    ;

// Every value goes through `sealed` on its way to the next stage: the compiler then knows as little about it as if it had been in memory,
// and cannot shorten two stages to something that is nearly the same.
constexpr std::string_view chain_start = R"(
uint shift(uint binding) { return bitfieldExtract(sent.shifts[binding / 4], int(binding % 4) * 8, 8); }
uint sealed(float made) { return floatBitsToUint(made) ^ sent.nothing; }
)";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; }

class ChainText {
 public:
  explicit ChainText(const ChainShader& chain) : chain_(chain) {}

  std::string whole() {
    std::size_t numbers = 0;
    for (const ChainStage& stage : chain_.stages) numbers += std::size_t{uses_a(*stage.element)} + std::size_t{uses_b(*stage.element)};
    add("#version 450\n// ", chain_.name, "\nlayout(local_size_x = 64) in;\nstruct Numbers { float a, b; };\n");
    add("layout(push_constant) uniform Sent { uint shifts[2]; uint count, nothing; ");
    if (numbers) add("float numbers[", numbers, "]; ");
    add("} sent;", chain_start, table_words);
    for (std::size_t i = 0; i < chain_.bindings.size(); ++i) declare(i);
    for (const ChainStage& stage : chain_.stages) define(stage);
    add_chain();
    add_main();
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void add(const Parts&... parts) {
    text_ += cat(parts...);
  }

  // As single elements, and as four of them.
  void declare(std::size_t i) {
    const ChainBinding& binding = chain_.bindings[i];
    const char* const access = binding.stored < 0 ? "readonly " : binding.loaded < 0 ? "writeonly " : "";
    add("layout(binding = ", i, ") ", access, "buffer One", i, " { uint one", i, "[]; };\n");
    add("layout(binding = ", i, ") ", access, "buffer Four", i, " { uvec4 four", i, "[]; };\n");
  }

  void define(const ChainStage& stage) {
    if (std::ranges::find(defined_, stage.element) != defined_.end()) return;
    add("float f", defined_.size(), '(');
    for (const char* input = stage.element->inputs; *input; ++input) add("float ", *input, ", ");
    add("Numbers p) { precise float made = ", stage.element->glsl, "; return made; }\n");
    defined_.push_back(stage.element);
  }

  void add_chain() {
    add("void chain(");
    const char* comma = "";
    for (std::size_t i = 0; i < chain_.bindings.size(); ++i) {
      const ChainBinding& binding = chain_.bindings[i];
      if (binding.loaded >= 0) add(std::exchange(comma, ", "), "uint v", binding.loaded);
      if (binding.stored >= 0) add(std::exchange(comma, ", "), "out uint to", i);
    }
    add(") {\n");
    std::size_t numbers = 0;
    const auto number = [&](bool used) { return used ? cat("sent.numbers[", numbers++, ']') : std::string("0.0"); };
    for (const ChainStage& stage : chain_.stages) {
      const auto function = std::ranges::find(defined_, stage.element) - defined_.begin();
      add("  const uint v", stage.made, " = sealed(f", function, '(');
      for (std::size_t i = 0; stage.element->inputs[i]; ++i)
        if (stage.inputs[i] < 0)
          add("0.0, ");
        else
          add("uintBitsToFloat(v", stage.inputs[i], "), ");
      const std::string a = number(uses_a(*stage.element)), b = number(uses_b(*stage.element));
      add("Numbers(", a, ", ", b, ")));\n");
    }
    for (std::size_t i = 0; i < chain_.bindings.size(); ++i)
      if (const int value = chain_.bindings[i].stored; value >= 0) add("  to", i, " = v", value, ";\n");
    add("}\n");
  }

  // A work item takes four elements: as a vector where they lie at multiples of four. They go through the chain in a loop, so that there is
  // one copy of it to compile; drivers undo the loop when it is short.
  void add_main() {
    add("void main() {\n"
        "  const uint i = 4 * ((gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 + gl_LocalInvocationID.x);\n"
        "  if (i >= sent.count) return;\n"
        "  const bool whole = i + 4 <= sent.count && ((sent.shifts[0] | sent.shifts[1]) & 0x03030303u) == 0;\n"
        "  const uvec4 at = min(i + uvec4(0, 1, 2, 3), sent.count - 1);\n");
    each([&](std::size_t i, bool loaded, bool stored) {
      if (loaded) add("  uvec4 in", i, ";\n");
      if (stored) add("  uvec4 to", i, " = uvec4(0);\n");
    });
    add("  if (whole) {\n");
    each([&](std::size_t i, bool loaded, bool) {
      if (loaded) add("    in", i, " = four", i, "[(i + shift(", i, ")) / 4];\n");
    });
    add("  } else {\n");
    each([&](std::size_t i, bool loaded, bool) {
      if (!loaded) return;
      for (const char lane : {'x', 'y', 'z', 'w'}) add("    in", i, '.', lane, " = one", i, "[at.", lane, " + shift(", i, ")];\n");
    });
    add("  }\n  for (int k = 0; k < 4; ++k) {\n");
    add_call();
    add("  }\n  if (whole) {\n");
    each([&](std::size_t i, bool, bool stored) {
      if (stored) add("    four", i, "[(i + shift(", i, ")) / 4] = to", i, ";\n");
    });
    add("  } else {\n");
    each([&](std::size_t i, bool, bool stored) {
      if (!stored) return;
      for (const char lane : {'w', 'z', 'y', 'x'}) add("    one", i, "[at.", lane, " + shift(", i, ")] = to", i, '.', lane, ";\n");
    });
    add("  }\n}\n");
  }

  // The next element is always the first of what comes in, and becomes the last of what goes out.
  void add_call() {
    each([&](std::size_t i, bool, bool stored) {
      if (stored) add("    uint made", i, ";\n");
    });
    add("    chain(");
    const char* comma = "";
    each([&](std::size_t i, bool loaded, bool stored) {
      if (loaded) add(std::exchange(comma, ", "), "in", i, ".x");
      if (stored) add(std::exchange(comma, ", "), "made", i);
    });
    add(");\n");
    each([&](std::size_t i, bool loaded, bool stored) {
      if (loaded) add("    in", i, " = in", i, ".yzwx;\n");
      if (stored) add("    to", i, " = uvec4(to", i, ".yzw, made", i, ");\n");
    });
  }

  template <class Do>
  void each(const Do& act) {
    for (std::size_t i = 0; i < chain_.bindings.size(); ++i) act(i, chain_.bindings[i].loaded >= 0, chain_.bindings[i].stored >= 0);
  }

  const ChainShader& chain_;
  std::vector<const ElementText*> defined_;  // by the number of the function
  std::string text_;
};

}  // namespace

bool has_word(std::string_view glsl, std::string_view word) {
  for (std::size_t at = glsl.find(word); at != glsl.npos; at = glsl.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter(glsl[at - 1])) && (end == glsl.size() || !is_letter(glsl[end]))) return true;
  }
  return false;
}

std::size_t work_to_compile(const ElementText& element) {
  struct Word {
    std::string_view text;
    std::size_t work;
  };
  constexpr Word long_ones[] = {{"sin", 256}, {"cos", 256}, {"power", 32}, {"log", 8}, {"log1p", 8}, {"erf", 4}, {"tanh", 4}, {"exp", 2}};
  std::size_t work = 1;
  for (const Word& word : long_ones)
    if (has_word(element.glsl, word.text)) work += word.work;
  return work;
}

std::string text_of(const ChainShader& chain) { return ChainText(chain).whole(); }

}  // namespace tidepool::inline v0
