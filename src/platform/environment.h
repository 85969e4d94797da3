// Environment variables. A value that cannot be read is a warning that names the variable, never an error.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tidepool::inline v0 {

std::optional<std::string> environment(const char* name);  // absent when unset or empty
// One of these words: the first when it is unset, or anything else, of which a warning tells once for each variable.
std::string environment_word(const char* name, std::initializer_list<std::string_view> words);
// A switch, 0 or 1.
inline bool switched_on(const char* name, bool unless_set = false) {
  return (unless_set ? environment_word(name, {"1", "0"}) : environment_word(name, {"0", "1"})) == "1";
}
void warn_environment(std::string_view name, std::string_view value, std::string_view wanted);

}  // namespace tidepool::inline v0
