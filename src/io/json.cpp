#include "io/json.h"

#include "platform/utf8.h"

#include <charconv>
#include <vector>

namespace tidepool::inline v0 {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The four digits after \u; -1 where they are none.
int escaped_code(std::string_view digits) {
  if (digits.size() < 4) return -1;
  int code = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const int value = hex_value(digits[i]);
    if (value < 0) return -1;
    code = code * 16 + value;
  }
  return code;
}
bool is_high(int code) { return code >= 0xd800 && code < 0xdc00; }  // the first and the second half of a pair
bool is_low(int code) { return code >= 0xdc00 && code < 0xe000; }

// Bytes of the character that begins here; 0 where it is no UTF-8.
std::size_t utf8_length(std::string_view text) {
  if (static_cast<unsigned char>(text[0]) < 0x80) return 1;
  std::string_view rest = text;
  if (next_code_point(rest) == replacement_character && !text.starts_with("\xef\xbf\xbd")) return 0;
  return text.size() - rest.size();
}

class Parser {
 public:
  Parser(std::string_view text, JsonHandler& handler, JsonProblem& problem) : text_(text), handler_(handler), problem_(problem) {}

  bool parse() {
    if (!value()) return false;
    while (!in_object_.empty()) {
      if (!after_value()) return false;
    }
    skip_space();
    return require(at_ == text_.size(), "something follows its end");
  }

 private:
  bool wrong(const char* what) {
    problem_ = {.offset = at_, .what = what};
    return false;
  }
  bool require(bool good, const char* what) {
    if (!good) wrong(what);
    return good;
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // Within an object or a list, behind one of its values or at its start.
  bool after_value() {
    const bool object = in_object_.back(), first = first_;
    first_ = false;
    if (accept(object ? '}' : ']')) {
      in_object_.pop_back();
      return object ? handler_.end_object() : handler_.end_array();
    }
    if (!first && !accept(',')) return wrong(object ? "wanted , or }" : "wanted , or ]");
    return (!object || key()) && value();
  }
  bool key() {
    skip_space();
    if (peek() != '"') return wrong("wanted a key");
    JsonString name;
    if (!string(name) || !handler_.key(name)) return false;
    return require(accept(':'), "wanted :");
  }
  bool value() {
    skip_space();
    switch (peek()) {
      case '{':
      case '[': {
        const bool object = text_[at_++] == '{';
        in_object_.push_back(object);
        first_ = true;
        return object ? handler_.start_object() : handler_.start_array();
      }
      case '"': {
        JsonString text;
        return string(text) && handler_.string(text);
      }
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }
  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return wrong("wanted a value");
    at_ += wanted.size();
    return handler_.other_value();
  }
  bool digits() {
    const std::size_t start = at_;
    while (is_digit(peek())) ++at_;
    return require(at_ > start, "wanted a digit");
  }
  bool number() {
    const std::size_t start = at_;
    bool whole = peek() != '-';
    if (!whole) ++at_;
    if (!is_digit(peek())) return wrong(whole ? "wanted a value" : "wanted a digit");
    if (peek() == '0')
      ++at_;
    else
      digits();
    if (peek() == '.') {
      whole = false;
      ++at_;
      if (!digits()) return false;
    }
    if (peek() == 'e' || peek() == 'E') {
      whole = false;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digits()) return false;
    }
    std::uint64_t value = 0;
    if (whole && std::from_chars(text_.data() + start, text_.data() + at_, value).ec == std::errc{}) return handler_.whole_number(value);
    return handler_.other_value();
  }
  bool string(JsonString& string) {
    const std::size_t start = ++at_;
    for (;;) {
      if (at_ >= text_.size()) return wrong("a string does not end");
      const char c = text_[at_];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20) return wrong("a control character in a string");
      if (c == '\\') {
        string.escaped = true;
        if (!escape()) return false;
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(at_, 4));
      if (length == 0) return wrong("a string is no UTF-8");
      at_ += length;
    }
    string.written = text_.substr(start, at_++ - start);
    return true;
  }
  bool escape() {
    ++at_;
    const char c = peek();
    if (at_ >= text_.size() || std::string_view("\"\\/bfnrtu").find(c) == std::string_view::npos) return wrong("an unknown escape");
    ++at_;
    if (c != 'u') return true;
    const int code = escaped_code(text_.substr(at_));
    if (code < 0 || is_low(code)) return wrong("\\u without a character");
    at_ += 4;
    if (!is_high(code)) return true;
    if (text_.substr(at_, 2) != "\\u" || !is_low(escaped_code(text_.substr(at_ + 2)))) return wrong("\\u with half of a character");
    at_ += 6;
    return true;
  }

  std::string_view text_;
  JsonHandler& handler_;
  JsonProblem& problem_;
  std::size_t at_ = 0;
  std::vector<bool> in_object_;  // or in a list, for each that is open
  bool first_ = false;           // nothing of it was read
};

}  // namespace

std::string JsonString::text() const {
  if (!escaped) return std::string(written);
  std::string text;
  text.reserve(written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i] != '\\') {
      text += written[i];
      continue;
    }
    const char c = written[++i];
    constexpr std::string_view letters = "bfnrt", meant = "\b\f\n\r\t";
    if (c != 'u') {
      const std::size_t letter = letters.find(c);
      text += letter == letters.npos ? c : meant[letter];
      continue;
    }
    int code = escaped_code(written.substr(i + 1));
    i += 4;
    if (is_high(code)) {
      code = 0x10000 + ((code - 0xd800) << 10) + (escaped_code(written.substr(i + 3)) - 0xdc00);
      i += 6;
    }
    append_utf8(text, static_cast<char32_t>(code));
  }
  return text;
}

bool parse_json_text(std::string_view text, JsonHandler& handler, JsonProblem& problem) { return Parser(text, handler, problem).parse(); }

}  // namespace tidepool::inline v0
