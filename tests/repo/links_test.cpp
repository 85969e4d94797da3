// Links within the documentation lead somewhere, on a code host as on the site, and every page is in the site's contents.
#include <gtest/gtest.h>

#include "repo/markdown.h"

namespace tidepool::repo {
namespace {

namespace fs = std::filesystem;
const fs::path source(TIDEPOOL_SOURCE_DIR);

// What is wrong with a link of a page, or nothing.
std::string problem(const fs::path& page, const Link& link) {
  if (link.target.find("://") != std::string::npos) return "";
  const fs::path target = link.target.empty() ? page : page.parent_path() / link.target;
  if (!fs::is_regular_file(target)) return "is no file";
  if (link.anchor.empty()) return "";
  for (const std::string& heading : Page(target).headings)
    if (anchor_on_hosts(heading) == link.anchor && anchor_on_site(heading) == link.anchor) return "";
  return "has no heading with the anchor " + link.anchor;
}

TEST(Links, LeadSomewhere) {
  std::size_t links = 0;
  for (const Page& page : pages_of(source))
    for (const Link& link : page.links) {
      ++links;
      const std::string wrong = problem(page.path, link);
      EXPECT_EQ(wrong, "") << fs::relative(page.path, source) << ": " << link.target << " " << wrong;
    }
  EXPECT_GT(links, 150U);
}

TEST(Links, ThatLeadNowhereAreFound) {
  const fs::path page = source / "docs/training.md";
  EXPECT_EQ(problem(page, {"reliability.md", "trying-it"}), "");
  EXPECT_EQ(problem(page, {"nothing.md", ""}), "is no file");
  EXPECT_EQ(problem(page, {"../include/tidepool", ""}), "is no file") << "a site has no folders to look into";
  EXPECT_EQ(problem(page, {"", "nothing"}), "has no heading with the anchor nothing");
}

TEST(Links, EveryPageIsInTheContents) {
  const std::string contents = text_of(source / "mkdocs.yml"), decisions = text_of(source / "docs/decisions/README.md");
  for (const Page& page : pages_of(source)) {
    const std::string name = fs::relative(page.path, source / "docs").generic_string();
    if (name.starts_with("..")) continue;
    const bool listed = contents.find(": " + name + "\n") != std::string::npos,
               decided = name.starts_with("decisions/") && decisions.find("(" + name.substr(10) + ")") != std::string::npos;
    EXPECT_TRUE(listed || decided) << name << " is neither in mkdocs.yml nor in the list of decisions";
  }
}

}  // namespace
}  // namespace tidepool::repo
