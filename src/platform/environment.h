// Environment variables. A value that cannot be read is a warning that names the variable, never an error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidepool::inline v0 {

std::optional<std::string> environment(const char* name);                  // absent when unset or empty
inline bool is_set(const char* name) { return environment(name) == "1"; }  // a switch
void warn_environment(std::string_view name, std::string_view value, std::string_view wanted);

}  // namespace tidepool::inline v0
