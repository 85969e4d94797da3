// What the commands' help says, and what the documentation says of them.
#include <algorithm>
#include <regex>
#include <set>

#include "cli/tool.h"

namespace tidepool::inline v0 {
namespace {

class Help : public ToolTest {
 protected:
  static std::set<std::string> options_in(const std::string& text) {
    static const std::regex option("--[a-z][a-z-]*");
    std::set<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at) found.insert(at->str());
    return found;
  }
  std::vector<std::string> commands() const {
    const std::string text = run("--help").out, list = text.substr(text.find("Subcommands:"));
    static const std::regex line("\n  ([a-z]+) ");
    std::vector<std::string> names;
    for (std::sregex_iterator at(list.begin(), list.end(), line), end; at != end; ++at) names.push_back(at->str(1));
    return names;
  }
};

TEST_F(Help, HasNothingThatOnlyTheParserUnderstands) {
  EXPECT_NE(run("train --help").out.find("--dashboard [=N] "), std::string::npos) << run("train --help").out;
}

TEST_F(Help, OfTrainSaysWhatEachTaskTakesUnlessGivenAndSoDoesThePage) {
  std::string help = run("train --help").out;
  help = std::regex_replace(help, std::regex("\\s+"), " ");  // lines end where they are full
  const std::string page = contents(TIDEPOOL_SOURCE_DIR "/docs/reference/command_line.md");
  for (const std::string text : {"over the samples; unless given, xor 500, sine 100, fashion-mnist 3",
                                 "within the memory limit; unless given, xor 4, sine 128, fashion-mnist 64"}) {
    EXPECT_NE(help.find(text), std::string::npos) << help;
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
}

// A section of the page for each command, and each command's options in it; no others.
TEST_F(Help, AgreesWithTheDocumentation) {
  const std::string page = contents(TIDEPOOL_SOURCE_DIR "/docs/reference/command_line.md");
  const std::vector<std::string> names = commands();
  EXPECT_GE(names.size(), 7U);
  for (const std::string& name : names) {
    const std::size_t begin = page.find("\n## " + name + "\n");
    ASSERT_NE(begin, std::string::npos) << name;
    std::set<std::string> said = options_in(page.substr(begin, page.find("\n## ", begin + 4) - begin));
    std::string help = run(name + " --help").out;
    help.erase(0, help.find("Options:"));
    std::set<std::string> there = options_in(help);
    there.erase("--help");
    if (name == "eval") said.erase("--save");  // of another command
    if (name == "report") said.erase("--record");
    EXPECT_EQ(said, there) << name;
  }
}

}  // namespace
}  // namespace tidepool::inline v0
