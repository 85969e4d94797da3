// What a public header declares, by qualified name, without what is private, friends and mere announcements. It reads the house's own
// headers, not all of C++.
//
//     declarations_in(path);      // {"tp::raw::linear_fwd", "tp::AdamOptions", "tp::AdamOptions::lr", …}
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tidepool::repo {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
inline bool is_word(const std::string& token) { return !token.empty() && is_word(token[0]); }

// Words and single signs, without comments, preprocessor lines and what is between quotes.
inline std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  bool line_begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0 || (line_begins && text[i] == '#')) {
      i = text.find('\n', i);
      if (i == std::string::npos) break;
    } else if (text.compare(i, 2, "R\"") == 0) {
      const std::size_t bracket = text.find('(', i);
      const std::string end = ")" + text.substr(i + 2, bracket - i - 2) + "\"";
      i = text.find(end, bracket);
      if (i == std::string::npos) break;
      i += end.size() - 1;
    } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_word(text[i - 1])))) {
      const char quote = text[i];
      for (++i; i < text.size() && text[i] != quote; ++i)
        if (text[i] == '\\') ++i;
    } else if (is_word(text[i])) {
      const std::size_t begin = i;
      while (i + 1 < text.size() && is_word(text[i + 1])) ++i;
      tokens.push_back(text.substr(begin, i + 1 - begin));
    } else if (!std::isspace(static_cast<unsigned char>(text[i]))) {
      tokens.emplace_back(1, text[i]);
    }
    if (i < text.size() && !std::isspace(static_cast<unsigned char>(text[i]))) line_begins = false;
    if (i < text.size() && text[i] == '\n') line_begins = true;
  }
  return tokens;
}

class Declarations {
 public:
  explicit Declarations(const std::string& text) {
    const std::vector<std::string> tokens = tokens_of(text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i] == "template") {
        i = end_of_angles(tokens, i + 1);
        continue;
      }
      take(tokens[i]);
    }
  }
  const std::set<std::string>& names() const { return names_; }

 private:
  static std::size_t end_of_angles(const std::vector<std::string>& tokens, std::size_t i) {
    int depth = 0;
    for (; i < tokens.size(); ++i) {
      depth += tokens[i] == "<" ? 1 : tokens[i] == ">" ? -1 : 0;
      if (depth == 0) break;
    }
    return i;
  }
  void take(const std::string& token) {
    if (token == ")") --parentheses_;
    if (token == "(" && parentheses_++ == 0) declare_last();
    if (parentheses_ > 0 || token == ")" || token == "(") return;
    if (token == "{") return open();
    if (token == ";" || token == "," || token == "=" || token == "}") {
      declare_last();
      in_value_ = token == "=";
      if (token == "}" && !scopes_.empty()) {
        scopes_.pop_back();
        hidden_.pop_back();
      }
      if (token == ";" || token == "}") statement_.clear();
      last_.clear();
      return;
    }
    if (token == ":" && !hidden_.empty() && (last_ == "private" || last_ == "protected" || last_ == "public")) {
      hidden_.back() = last_ == "private";
      statement_.clear();
      last_.clear();
      return;
    }
    last_ = token;
    statement_.push_back(token);
  }
  // What stands before a sign that ends a declarator.
  void declare_last() {
    const std::string first = statement_.empty() ? "" : statement_[0];
    const bool announced = statement_.size() == 2 && (first == "struct" || first == "class");
    if (!in_value_ && is_word(last_) && !announced && first != "friend") declare(last_);
  }
  void declare(const std::string& name) {
    if (std::find(hidden_.begin(), hidden_.end(), true) != hidden_.end()) return;
    std::string qualified;
    for (const std::string& scope : scopes_) {
      if (scope == "{") return;  // the body of a function, or a value
      if (scope != "v0") qualified += scope + "::";
    }
    names_.insert(qualified + name);
  }
  void open() {
    std::string name = "{";
    for (std::size_t i = 0; i < statement_.size(); ++i) {
      const std::string& word = statement_[i];
      if (word == "namespace") {
        name.clear();
        for (std::size_t part = i + 1; part < statement_.size(); ++part) add_namespace(name, statement_[part]);
        break;
      }
      if (word != "class" && word != "struct" && word != "enum") continue;
      std::size_t at = i + 1;
      while (at < statement_.size() && (statement_[at] == "class" || statement_[at] == "TIDEPOOL_API")) ++at;
      if (at < statement_.size()) name = statement_[at];
      declare(name);
      break;
    }
    if (name.empty()) name = "v0";  // without a name, or inline
    scopes_.push_back(name);
    hidden_.push_back(false);
    statement_.clear();
    last_.clear();
    in_value_ = false;
  }
  static void add_namespace(std::string& name, const std::string& part) {
    if (!is_word(part) || part == "inline" || part == "v0") return;
    name += (name.empty() ? "" : "::") + (part == "tidepool" ? "tp" : part);
  }

  std::vector<std::string> scopes_, statement_;
  std::vector<bool> hidden_;  // of each scope: whether what comes now is private
  std::string last_;
  int parentheses_ = 0;
  bool in_value_ = false;
  std::set<std::string> names_;
};

inline std::set<std::string> declarations_in(const std::filesystem::path& header) { return Declarations(text_of(header)).names(); }

}  // namespace tidepool::repo
