// The documentation's pages, as far as tests look at them: code, links, headings.
#pragma once

#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "repo/declarations.h"

namespace tidepool::repo {

struct Block {
  std::string language;
  std::vector<std::string> lines;
};

struct Link {
  std::string target, anchor;  // "training.md", "files"; either may be empty
};

struct Page {
  std::filesystem::path path;
  std::vector<Block> blocks;          // between ``` and ```
  std::vector<std::string> in_lines;  // code between backticks within a line
  std::vector<Link> links;
  std::vector<std::string> headings;

  explicit Page(const std::filesystem::path& file) : path(file) {
    std::stringstream text(text_of(file));
    bool inside = false;
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with("```")) {
        inside = !inside;
        if (inside) blocks.push_back({line.substr(3), {}});
      } else if (inside) {
        blocks.back().lines.push_back(line);
      } else if (!line.starts_with("    ")) {
        take(line);
      }
    }
  }
  std::set<std::string> words_in_code() const {
    std::set<std::string> words;
    const auto add = [&](const std::string& code) {
      for (std::size_t i = 0; i < code.size(); ++i) {
        if (!is_word(code[i])) continue;
        const std::size_t begin = i;
        while (i < code.size() && is_word(code[i])) ++i;
        words.insert(code.substr(begin, i - begin));
      }
    };
    for (const Block& block : blocks)
      for (const std::string& line : block.lines) add(line);
    for (const std::string& code : in_lines) add(code);
    return words;
  }

 private:
  void take(const std::string& line) {
    static const std::regex code("`[^`]*`"), link("\\]\\(([^)#\\s]*)#?([^)\\s]*)\\)"), heading("#+ (.*)");
    for (std::sregex_iterator at(line.begin(), line.end(), code), end; at != end; ++at) in_lines.push_back(at->str());
    const std::string plain = std::regex_replace(line, code, "`");
    for (std::sregex_iterator at(plain.begin(), plain.end(), link), end; at != end; ++at) links.push_back({at->str(1), at->str(2)});
    std::smatch title;
    if (std::regex_match(line, title, heading)) headings.push_back(title[1]);
  }
};

// What a heading's anchor is on code hosts, and on the site; they agree where headings are plain.
inline std::string anchor_on_hosts(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || static_cast<unsigned char>(c) > 127)
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (c == ' ')
      anchor += '-';
  }
  return anchor;
}
inline std::string anchor_on_site(const std::string& heading) {
  std::string anchor;
  for (const char c : anchor_on_hosts(heading))
    if (c != '-' || (!anchor.empty() && anchor.back() != '-')) anchor += c;
  return anchor;
}

// README.md, CONTRIBUTING.md, CHANGELOG.md and docs/**.
inline std::vector<Page> pages_of(const std::filesystem::path& source) {
  std::vector<Page> pages;
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) pages.emplace_back(source / name);
  for (const std::filesystem::directory_entry& entry : std::filesystem::recursive_directory_iterator(source / "docs"))
    if (entry.path().extension() == ".md") pages.emplace_back(entry.path());
  return pages;
}

}  // namespace tidepool::repo
