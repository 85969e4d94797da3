// Makes GoogleTest's tests of the examples in the documentation, so that what it shows compiles and does what it says.
//
//     tidepool_docs_examples <root> <out.cpp> <page.md>...
//
// Every block that begins with ```cpp is one. A block with `int main(` is a program; another is the body of a function. What stands in
// front of a block, in a comment that no reader sees, says more about it:
//
//     <!-- cpp: before          code that the block takes for granted, until the comment's end
//     std::vector<float> values(100);
//     -->
//     <!-- cpp: continues -->        it goes on from the block before, with its variables
//     <!-- cpp: only compiled -->    it is not run
//
// Within a block, `expression;  // → text` has to give what is written, and `expression;  // throws ShapeError: text` has to throw it;
// a text that ends in … may go on.
#include <cctype>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Line {
  std::string text;
  int number = 0;  // in its page
};

struct Example {
  std::string page;
  int number = 0;
  std::vector<Line> lines;
  bool is_program = false, runs = true;
};

[[noreturn]] void fail(const std::string& page, int number, const std::string& what) {
  throw std::runtime_error(page + ":" + std::to_string(number) + ": " + what);
}

class Page {
 public:
  Page(const std::string& root, std::string name) : name_(std::move(name)) {
    std::ifstream file(root + "/" + name_);
    if (!file) fail(name_, 0, "cannot be read");
    for (std::string line; std::getline(file, line);) {
      ++number_;
      take(line);
    }
    if (state_ == State::block) fail(name_, number_, "a block that begins with ```cpp does not end");
  }
  std::vector<Example> examples;

 private:
  enum class State { text, before, block };

  void take(const std::string& line) {
    if (state_ == State::before) {
      if (line == "-->")
        state_ = State::text;
      else
        before_.push_back({line, number_});
    } else if (state_ == State::block) {
      if (line == "```")
        end_block();
      else
        block_.push_back({line, number_});
    } else if (line == "```cpp") {
      state_ = State::block;
      begun_ = number_;
    } else if (line.starts_with("<!-- cpp:")) {
      directive(line);
    }
  }
  void directive(const std::string& line) {
    if (line == "<!-- cpp: before")
      state_ = State::before;
    else if (line == "<!-- cpp: continues -->")
      continues_ = true;
    else if (line == "<!-- cpp: only compiled -->")
      runs_ = false;
    else
      fail(name_, number_, "'" + line + "' is none of: before, continues, only compiled");
  }
  void end_block() {
    if (continues_) {
      if (examples.empty() || examples.back().is_program) fail(name_, begun_, "there is nothing before it that it could continue");
    } else {
      examples.push_back({.page = name_, .number = begun_, .lines = {}});
    }
    Example& example = examples.back();
    example.runs = example.runs && runs_;
    for (const std::vector<Line>* part : {&before_, &block_})
      for (const Line& line : *part) {
        if (line.text.starts_with("int main(")) example.is_program = true;
        example.lines.push_back(line);
      }
    before_.clear();
    block_.clear();
    continues_ = false;
    runs_ = true;
    state_ = State::text;
  }

  std::string name_;
  int number_ = 0, begun_ = 0;
  State state_ = State::text;
  bool continues_ = false, runs_ = true;
  std::vector<Line> before_, block_;
};

std::string quoted(const std::string& text) { return "R\"~~(" + text + ")~~\""; }

// A line with what it is to give, as a call that looks at it.
std::string checked(const Example& example, const Line& line) {
  static const std::regex shown("^(\\s*)(.+);\\s*// → (.*)$"), thrown("^(\\s*)(.+);\\s*// throws ([A-Za-z]+)(: (.*))?$");
  std::smatch m;
  if (std::regex_match(line.text, m, shown))
    return m[1].str() + "tidepool::docs::expect_shown(tidepool::docs::shown(" + m[2].str() + "), " + quoted(m[3]) +
           ", __FILE__, __LINE__);";
  if (std::regex_match(line.text, m, thrown))
    return m[1].str() + "tidepool::docs::expect_thrown<tidepool::" + m[3].str() + ">([&] { (void)(" + m[2].str() + "); }, " + quoted(m[5]) +
           ", __FILE__, __LINE__);";
  if (line.text.find("// →") != std::string::npos || line.text.find("// throws") != std::string::npos)
    fail(example.page, line.number, "only a whole statement of one line can say what it gives: " + line.text);
  return line.text;
}

// "docs/guide/own_layer.md" as "DocsGuideOwnLayer".
std::string suite_of(const std::string& page) {
  std::string name;
  bool upper = true;
  for (const char c : page.substr(0, page.rfind('.'))) {
    if (std::isalnum(static_cast<unsigned char>(c))) name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = !std::isalnum(static_cast<unsigned char>(c));
  }
  return name;
}

bool wants_page(const Example& example) {
  for (const Line& line : example.lines)
    if (line.text.find("tidepool/dashboard.h") != std::string::npos) return true;
  return false;
}

std::string text_of(const Example& example) {
  const std::string name = "at_line_" + std::to_string(example.number), suite = suite_of(example.page);
  std::string text = wants_page(example) ? "\n#ifdef TIDEPOOL_DOCS_WEB\n" : "\n";
  text += "namespace " + suite + "::" + name + " {\n";
  text += example.is_program ? "" : "void example() {\n";
  int expected = -1;
  for (const Line& line : example.lines) {
    if (line.text.starts_with("#include")) continue;  // stands above
    if (line.number != expected) text += "#line " + std::to_string(line.number) + " \"" + example.page + "\"\n";
    expected = line.number + 1;
    std::string code = checked(example, line);
    if (code.starts_with("int main(")) code.replace(4, 4, "example");
    if (code == "}" && example.is_program && &line == &example.lines.back()) code = "  return 0;\n}";
    text += code + "\n";
  }
  text += example.is_program ? "}\n" : "}\n}\n";
  text += "TEST(" + suite + ", Line" + std::to_string(example.number) + ") {\n";
  if (example.runs)
    text += std::string("  tidepool::docs::in_a_folder_of_its_own([] { ") +
            (example.is_program ? "EXPECT_EQ(" + suite + "::" + name + "::example(), 0);" : suite + "::" + name + "::example();") +
            " });\n";
  else
    text += "  EXPECT_NE(&" + suite + "::" + name + "::example, nullptr);\n";
  text += wants_page(example) ? "}\n#endif\n" : "}\n";
  return text;
}

std::string unit_of(const std::vector<Example>& examples) {
  std::set<std::string> includes;
  std::string text;
  for (const Example& example : examples) {
    for (const Line& line : example.lines)
      if (line.text.starts_with("#include") && line.text.find("dashboard.h") == std::string::npos) includes.insert(line.text);
    text += text_of(example);
  }
  std::string head = "// Made from the documentation by cmake/docs_examples.cpp.\n#include \"reference/examples.h\"\n\n";
  for (const std::string& include : includes) head += include + "\n";
  return head + "#ifdef TIDEPOOL_DOCS_WEB\n#include <tidepool/dashboard.h>\n#endif\n\nnamespace tp = tidepool;\n" + text;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw std::runtime_error("usage: tidepool_docs_examples <root> <out.cpp> <page.md>...");
  std::vector<Example> examples;
  for (int i = 3; i < argc; ++i)
    for (Example& example : Page(argv[1], argv[i]).examples) examples.push_back(std::move(example));
  std::ofstream file(argv[2]);
  if (!(file << unit_of(examples)).flush()) throw std::runtime_error(std::string(argv[2]) + " cannot be written");
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
