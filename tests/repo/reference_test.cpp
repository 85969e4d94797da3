// docs/reference/ names every public name, and says of it what the headers say.
#include <gtest/gtest.h>

#include <map>

#include "repo/markdown.h"

namespace tidepool::repo {
namespace {

namespace fs = std::filesystem;
const fs::path source(TIDEPOOL_SOURCE_DIR);

std::vector<Page> reference() {
  std::vector<Page> pages;
  for (const fs::directory_entry& entry : fs::directory_iterator(source / "docs/reference")) pages.emplace_back(entry.path());
  return pages;
}

// "Plan" and "run" of "tp::Plan::run"; no owner where that is a namespace.
std::pair<std::string, std::string> owner_and_name(const std::string& qualified) {
  const std::size_t last = qualified.rfind("::");
  const std::string before = qualified.substr(0, last);
  const std::string owner = before.substr(before.rfind(':') == std::string::npos ? 0 : before.rfind(':') + 1);
  return {std::isupper(static_cast<unsigned char>(owner[0])) ? owner : "", qualified.substr(last + 2)};
}

bool is_for_users(const std::string& qualified, const std::string& name) {
  static const std::set<std::string> inner = {"tp::Tensor::node", "tp::Tensor::shared", "tp::Device::slot"};  // for the library itself
  static const std::set<std::string> no_names = {"requires", "override", "noexcept", "operator", "value_type", "difference_type"};
  return !name.ends_with("_") && qualified.find("::detail::") == std::string::npos && !inner.contains(qualified) &&
         !no_names.contains(name) && !std::isdigit(static_cast<unsigned char>(name[0]));
}

// Names that no page of the reference has in its code, together with what they belong to.
std::vector<std::string> missing(const std::set<std::string>& names, const std::vector<std::set<std::string>>& pages) {
  std::vector<std::string> none;
  for (const std::string& qualified : names) {
    const auto [owner, name] = owner_and_name(qualified);
    if (!is_for_users(qualified, name)) continue;
    bool found = false;
    for (const std::set<std::string>& words : pages) found = found || (words.contains(name) && (owner.empty() || words.contains(owner)));
    if (!found) none.push_back(qualified);
  }
  return none;
}

TEST(Reference, HasEveryPublicName) {
  std::vector<std::set<std::string>> pages;
  for (const Page& page : reference()) pages.push_back(page.words_in_code());
  for (const fs::directory_entry& entry : fs::directory_iterator(source / "include/tidepool"))
    for (const std::string& name : missing(declarations_in(entry.path()), pages))
      ADD_FAILURE() << name << " of " << entry.path().filename() << " is in no page of docs/reference";
  EXPECT_EQ(missing({"tp::Plan::stroll", "tp::Plan::run", "tp::relu", "tp::Tidy::relu"}, pages),
            (std::vector<std::string>{"tp::Plan::stroll", "tp::Tidy::relu"}));
}

std::string normal(const std::string& text) {
  std::string out;
  for (const char c : std::regex_replace(text, std::regex("TIDEPOOL_API |TP_API "), ""))
    if (!std::isspace(static_cast<unsigned char>(c)))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  while (out.ends_with(' ') || out.ends_with(';')) out.pop_back();
  return out;
}

// Code and comment of a line are in the headers, if not always side by side: a function that is written out there ends here.
bool is_in(const std::string& headers, const std::string& line) {
  const std::size_t comment = line.find("//");
  const std::string code = normal(line.substr(0, comment)), said = comment == std::string::npos ? "" : normal(line.substr(comment));
  return headers.find(code) != std::string::npos && headers.find(said) != std::string::npos;
}

TEST(Reference, SaysWhatTheHeadersSay) {
  std::string headers;
  for (const fs::directory_entry& entry : fs::directory_iterator(source / "include/tidepool")) headers += normal(text_of(entry.path()));
  std::size_t lines = 0;
  for (const Page& page : reference())
    for (const Block& block : page.blocks)
      for (const std::string& line : block.lines) {
        if (block.language != "c++" && block.language != "c") continue;
        EXPECT_TRUE(is_in(headers, line)) << page.path.filename() << " has a line that no header has: " << line;
        ++lines;
      }
  EXPECT_GT(lines, 800U);
  EXPECT_FALSE(is_in(headers, "void run(bool twice) const;"));
  EXPECT_FALSE(is_in(headers, "void run() const;  // and dances"));
}

TEST(Reference, HasEveryEnvironmentVariable) {
  const std::set<std::string> words = Page(source / "docs/reference/environment.md").words_in_code();
  static const std::regex asked("(?:environment|environment_word|switched_on|warn_environment)\\(\"([A-Z_]+)\"");
  std::size_t found = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source / "src")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), asked), end; at != end; ++at, ++found)
      EXPECT_TRUE(words.contains(at->str(1))) << at->str(1);
  }
  EXPECT_GT(found, 10U);
}

}  // namespace
}  // namespace tidepool::repo
