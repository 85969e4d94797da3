#include "device/chain_text.h"

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
    int numbers = 0;
    for (const ChainStage& stage : chain_.stages) numbers += int{uses_a(*stage.element)} + int{uses_b(*stage.element)};
    text_ = "#version 450\n// " + chain_.name;
    add("\nlayout(local_size_x = 64) in;\nstruct Numbers { float a, b; };\n"
        "layout(push_constant) uniform Sent { uint shifts[2]; uint count, nothing; ");
    if (numbers) add("float numbers[$]; ", numbers);
    add("} sent;");
    text_ += chain_start;
    text_ += table_words;
    each([&](int i, const ChainBinding& binding) { declare(i, binding); });
    for (const ChainStage& stage : chain_.stages) define(stage);
    add_chain();
    add_main();
    return std::move(text_);
  }

 private:
  // A $ stands for the number.
  [[gnu::noinline]] void add(std::string_view pattern, int number = 0) {
    for (const char c : pattern)
      if (c == '$')
        text_ += std::to_string(number);
      else
        text_ += c;
  }

  template <class Do>
  void each(const Do& act) {
    for (std::size_t i = 0; i < chain_.bindings.size(); ++i) act(static_cast<int>(i), chain_.bindings[i]);
  }
  void each_loaded(std::string_view pattern) {
    each([&](int i, const ChainBinding& binding) {
      if (binding.loaded >= 0) add(pattern, i);
    });
  }
  void each_stored(std::string_view pattern) {
    each([&](int i, const ChainBinding& binding) {
      if (binding.stored >= 0) add(pattern, i);
    });
  }

  // As single elements, and as four of them.
  void declare(int i, const ChainBinding& binding) {
    const char* const access = binding.stored < 0 ? "readonly " : binding.loaded < 0 ? "writeonly " : "";
    for (const char* const as : {"buffer One$ { uint one$[]; };\n", "buffer Four$ { uvec4 four$[]; };\n"}) {
      add("layout(binding = $) ", i);
      add(access);
      add(as, i);
    }
  }

  int function_of(const ChainStage& stage) const { return static_cast<int>(std::ranges::find(defined_, stage.element) - defined_.begin()); }

  void define(const ChainStage& stage) {
    const int function = function_of(stage);
    if (function < static_cast<int>(defined_.size())) return;
    add("float f$(", function);
    for (const char* input = stage.element->inputs; *input; ++input) {
      add("float ");
      add({input, 1});
      add(", ");
    }
    add("Numbers p) { precise float made = ");
    add(stage.element->glsl);
    add("; return made; }\n");
    defined_.push_back(stage.element);
  }

  // Of `chain`: what goes in, and what comes out.
  void add_arguments(std::string_view in, bool by_value, std::string_view out) {
    const char* comma = "";
    each([&](int i, const ChainBinding& binding) {
      if (binding.loaded >= 0) {
        add(std::exchange(comma, ", "));
        add(in, by_value ? binding.loaded : i);
      }
      if (binding.stored >= 0) {
        add(std::exchange(comma, ", "));
        add(out, i);
      }
    });
  }

  void add_chain() {
    add("void chain(");
    add_arguments("uint v$", true, "out uint to$");
    add(") {\n");
    int numbers = 0;
    const auto add_number = [&](bool used) {
      if (used)
        add("sent.numbers[$]", numbers++);
      else
        add("0.0");
    };
    for (const ChainStage& stage : chain_.stages) {
      add("  const uint v$ = ", stage.made);
      add("sealed(f$(", function_of(stage));
      for (std::size_t i = 0; stage.element->inputs[i]; ++i) add(stage.inputs[i] < 0 ? "0.0, " : "uintBitsToFloat(v$), ", stage.inputs[i]);
      add("Numbers(");
      add_number(uses_a(*stage.element));
      add(", ");
      add_number(uses_b(*stage.element));
      add(")));\n");
    }
    each([&](int i, const ChainBinding& binding) {
      if (binding.stored < 0) return;
      add("  to$ = ", i);
      add("v$;\n", binding.stored);
    });
    add("}\n");
  }

  // A work item takes four elements: as a vector where they lie at multiples of four. They go through the chain in a loop, so that there is
  // one copy of it to compile; drivers undo the loop when it is short. The next element is always the first of what comes in, and becomes
  // the last of what goes out.
  void add_main() {
    add("void main() {\n"
        "  const uint i = 4 * ((gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 + gl_LocalInvocationID.x);\n"
        "  if (i >= sent.count) return;\n"
        "  const bool whole = i + 4 <= sent.count && ((sent.shifts[0] | sent.shifts[1]) & 0x03030303u) == 0;\n"
        "  const uvec4 at = min(i + uvec4(0, 1, 2, 3), sent.count - 1);\n");
    each_loaded("  uvec4 in$;\n");
    each_stored("  uvec4 to$ = uvec4(0);\n");
    add("  if (whole) {\n");
    each_loaded("    in$ = four$[(i + shift($)) / 4];\n");
    add("  } else {\n");
    each_loaded("    in$ = uvec4(one$[at.x + shift($)], one$[at.y + shift($)], one$[at.z + shift($)], one$[at.w + shift($)]);\n");
    add("  }\n  for (int k = 0; k < 4; ++k) {\n");
    each_stored("    uint made$;\n");
    add("    chain(");
    add_arguments("in$.x", false, "made$");
    add(");\n");
    each_loaded("    in$ = in$.yzwx;\n");
    each_stored("    to$ = uvec4(to$.yzw, made$);\n");
    add("  }\n  if (whole) {\n");
    each_stored("    four$[(i + shift($)) / 4] = to$;\n");
    add("  } else {\n");
    for (const char* const lane : {"    one$[at.x + shift($)] = to$.x;\n", "    one$[at.y + shift($)] = to$.y;\n",
                                   "    one$[at.z + shift($)] = to$.z;\n", "    one$[at.w + shift($)] = to$.w;\n"})
      each_stored(lane);
    add("  }\n}\n");
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
