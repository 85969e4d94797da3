// JSON as it is read, token by token: nothing of the text is copied, and nothing of it is kept.
//
//     struct Names : JsonHandler { bool key(const JsonString& name) { …; return true; } … };
//     if (!parse_json_text(text, names)) …                    // a handler that says no ends it as well
//
// Text from anywhere may be given: it is checked as RFC 8259 has it, UTF-8 and escapes included, and how deep it is nested costs a bit
// each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidepool::inline v0 {

// A string between its quotes, as it was written.
struct JsonString {
  std::string_view written;
  bool escaped = false;  // something in it stands for something else

  std::string text() const;
};

struct JsonHandler {
  virtual ~JsonHandler() = default;
  virtual bool start_object() = 0;
  virtual bool end_object() = 0;
  virtual bool start_array() = 0;
  virtual bool end_array() = 0;
  virtual bool key(const JsonString& name) = 0;
  virtual bool string(const JsonString& value) = 0;
  virtual bool whole_number(std::uint64_t value) = 0;  // from 0, in 64 bits
  virtual bool other_value() = 0;                      // other numbers, true, false, null
};

// Where the text is no JSON.
struct JsonProblem {
  std::size_t offset = 0;
  const char* what = nullptr;  // null: a handler said no
};
bool parse_json_text(std::string_view text, JsonHandler& handler, JsonProblem& problem);

}  // namespace tidepool::inline v0
